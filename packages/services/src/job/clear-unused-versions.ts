import type { Services } from '../context.ts'

/** Rows looked at in one batch. */
const ROWS_PER_BATCH = 1_000

/** A row of a page, and whether anything refers to it. */
interface Looked {
  id: string
  unused: boolean
}

/**
 * Removes versions of requests that no run refers to any more and that no job has now. Yields after each batch how many
 * went.
 *
 * Runs refer to versions in the order of both, so if the job's first run since a version came to be has another one,
 * nothing refers to it: one step of an index for most. Whoever passes that is looked for among all the job's runs, since
 * a clock that was set back can make the order lie. (The scalar subqueries are there on purpose: PostgreSQL would turn
 * `not exists` into a join that reads all runs there are.)
 */
export async function* clearUnusedVersions(services: Services): AsyncGenerator<number> {
  const { sql } = services
  yield* pageByPage(
    after => sql<Looked[]>`
      select id, (
        (select j.request_version_id from jobs j where j.id = p.job_id) <> id
        and (
          select r.request_version_id from runs r
          where r.job_id = p.job_id and r.id collate "C" > 'run_' || substr(p.id, 5, 10)
          order by r.id collate "C" limit 1
        ) is distinct from id
        and (
          select true from runs r where r.job_id = p.job_id and r.request_version_id = p.id limit 1
        ) is null
      ) as unused
      from (select id, job_id from request_versions where id > ${after} order by id limit ${ROWS_PER_BATCH}) p
      order by id`,
    ids => sql`delete from request_versions where id = any(${ids})`,
  )
}

/**
 * Removes secret values that no version of their job's request refers to. Yields after each batch how many went.
 *
 * A write that takes a secret over into a new version has the present version beside it until it commits, so what is
 * still wanted is seen in one or the other.
 */
export async function* clearUnusedSecrets(services: Services): AsyncGenerator<number> {
  const { sql } = services
  yield* pageByPage(
    after => sql<Looked[]>`
      select id, (
        select true from request_versions v
        where v.organization_id = s.organization_id and v.job_id = s.job_id
          and jsonb_path_exists(v.request, '$.**.secret_value ? (@ == $id)', jsonb_build_object('id', s.id)) limit 1
      ) is null as unused
      from (
        select id, organization_id, job_id from secret_values where id > ${after} order by id limit ${ROWS_PER_BATCH}
      ) s
      order by id`,
    ids => sql`delete from secret_values where id = any(${ids})`,
  )
}

/** Goes through a table once, by its ids. */
async function* pageByPage(
  read: (after: string) => PromiseLike<Looked[]>,
  remove: (ids: string[]) => PromiseLike<unknown>,
): AsyncGenerator<number> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: Looked[] = await read(after)
    const ids = page.filter(row => row.unused).map(row => row.id)
    if (ids.length > 0) await remove(ids)
    yield ids.length
    after = page.at(-1)?.id
  }
}
