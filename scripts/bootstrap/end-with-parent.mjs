// Loaded into what `npm start` runs: when the parent is gone without a word (kill -9), end as if asked to. Otherwise
// Workly would go on unseen, holding its port.

const parent = process.ppid

const watch = setInterval(() => {
  if (process.ppid === parent) return
  clearInterval(watch)
  process.kill(process.pid, 'SIGTERM')
}, 500)
watch.unref()
