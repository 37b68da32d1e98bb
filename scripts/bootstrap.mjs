// The commands people type: `npm start`, `npm test`, `npm run faults`, `npm run verify`, `npm run generate`,
// `npm run operator`, `npm run bench`.
// Any Node from 20 on runs this file; what it needs beyond that it fetches from the npm registry.
// It says no more than this itself, so that even an old Node gets as far as the sentence below.

const major = Number(process.versions.node.split('.')[0])
if (major < 20) {
  console.error(`Workly needs Node 20 or newer; this is ${process.version}. See https://nodejs.org.`)
  process.exit(1)
}

const { main } = await import('./bootstrap/main.mjs')
process.exitCode = await main(process.argv.slice(2))
