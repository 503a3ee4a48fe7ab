// Dropped or selected files with their paths inside the upload.
import { say } from './words.js';

// The files of a drop, those in folders with their paths; `unread` is called with each unreadable one.
export async function entriesOf(transfer, unread) {
  // Both lists are empty after the event, so they are read before anything is awaited.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const plain = [...transfer.files];
  if (!entries.length) return plain.map((file) => ({ file, path: file.name }));
  const found = [];
  for (const entry of entries) await walk(entry, found, unread);
  return found;
}

async function walk(entry, found, unread) {
  if (entry.isFile) {
    try {
      const file = await new Promise((resolve, reject) => { entry.file(resolve, reject); });
      found.push({ file, path: entry.fullPath.replace(/^\//, '') });
    } catch (error) {
      unread(say('{file} could not be read: {message}', { file: entry.fullPath.replace(/^\//, ''), message: error.message }));
    }
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (!some.length) return;
    for (const each of some) await walk(each, found, unread);
  }
}

// The files of a chooser.
export const ofInput = (input) => [...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
