// A back-test continues piece by piece while its page is open; results so far are stored.
import { post } from './tools.js';

const box = document.getElementById('backtest');
const LONGEST_WAIT_MS = 15000;
let wait = 500;

async function goOn() {
  try {
    const { done, total } = await post(box.dataset.goOn);
    document.getElementById('backtest-done').textContent = done.toLocaleString('en');
    document.getElementById('backtest-bar').value = done;
    wait = 500;
    if (done >= total) return location.reload();
    return goOn();
  } catch (error) {
    if ([403, 404].includes(error.status)) return location.reload();
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    return setTimeout(goOn, wait);
  }
}

goOn();
