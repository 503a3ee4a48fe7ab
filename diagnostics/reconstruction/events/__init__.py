"""Input events by time and device: lags, clocks, disorder and watermarks."""
