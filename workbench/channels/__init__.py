"""Channels that verdicts are sent to, such as a room of a chat, and the deliveries to them."""
