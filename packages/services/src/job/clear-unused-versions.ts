import type { Services } from '../context.ts'

/** Rows looked at in one batch. */
const ROWS_PER_BATCH = 1_000

/**
 * Removes versions of requests that no run refers to any more and that no job has now. Yields after each batch how many
 * went.
 *
 * Runs refer to versions in the order of both, so if the job's first run since a version came to be has another one,
 * nothing refers to it: one step of an index for most. Whoever passes that is looked for among all the job's runs, since
 * a clock that was set back can make the order lie.
 */
export async function* clearUnusedVersions(services: Services): AsyncGenerator<number> {
  const { sql } = services
  for (let after: string | null = ''; after !== null; ) {
    const [batch]: { last: string | null; removed: number }[] = await sql`
      with page as materialized (
        select id, job_id from request_versions where id > ${after} order by id limit ${ROWS_PER_BATCH}
      ), unused as (
        select p.id from page p join jobs j on j.id = p.job_id
        where p.id <> j.request_version_id
          and (
            select r.request_version_id from runs r
            where r.job_id = p.job_id and r.id > 'run_' || substr(p.id, 5, 10)
            order by r.id limit 1
          ) is distinct from p.id
          and not exists (select from runs r where r.job_id = p.job_id and r.request_version_id = p.id)
      ), gone as (
        delete from request_versions v using unused u where v.id = u.id returning 1
      )
      select (select max(id) from page) as last, (select count(*)::int from gone) as removed`
    yield batch?.removed ?? 0
    after = batch?.last ?? null
  }
}

/**
 * Removes secret values that no version of their job's request refers to. Yields after each batch how many went.
 *
 * A write that takes a secret over into a new version has the present version beside it until it commits, so what is
 * still wanted is seen in one or the other.
 */
export async function* clearUnusedSecrets(services: Services): AsyncGenerator<number> {
  const { sql } = services
  for (let after: string | null = ''; after !== null; ) {
    const [batch]: { last: string | null; removed: number }[] = await sql`
      with page as materialized (
        select id, organization_id, job_id from secret_values where id > ${after} order by id limit ${ROWS_PER_BATCH}
      ), unused as (
        select p.id from page p
        where not exists (
          select from request_versions v
          where v.organization_id = p.organization_id and v.job_id = p.job_id
            and jsonb_path_exists(v.request, '$.**.secret_value ? (@ == $id)', jsonb_build_object('id', p.id)))
      ), gone as (
        delete from secret_values s using unused u where s.id = u.id returning 1
      )
      select (select max(id) from page) as last, (select count(*)::int from gone) as removed`
    yield batch?.removed ?? 0
    after = batch?.last ?? null
  }
}
