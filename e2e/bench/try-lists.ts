import { Store } from './large/store.ts'
import { measureLists } from './lists.ts'

const [jobs, runs, dir] = process.argv.slice(2)
console.time('open')
const store = await Store.open({ jobs: Number(jobs), runs: Number(runs) }, dir)
console.timeEnd('open')
try {
  console.table(await measureLists(store))
} finally {
  await store.close()
}
