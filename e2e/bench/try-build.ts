import { Store } from './large/store.ts'

const [jobs, runs, dir] = process.argv.slice(2)
console.time('build')
const store = await Store.open({ jobs: Number(jobs), runs: Number(runs) }, dir)
console.timeEnd('build')
console.log(store.projects.length, await store.services.sql`select count(*) from runs`, store.postgres.url)
await store.close()
