import type { Sql, TransactionSql } from '@workly/db'

/** How much stands in the database. */
export interface Size {
  jobs: number
  runs: number
}

/** Shares of all jobs: of a project far above the usual limit, and of one whose runs are all old. */
const LARGEST = 0.1
const OLD = 0.001

/**
 * Many copies of each project's one job, and runs of them over ninety days, by statements over whole sets: rows as the
 * schema has them, none due. Projects in the order of their making: the largest (a tenth of the jobs, two fifths of the
 * runs; one of its jobs has one in fifty of all runs; it has failed, cancelled and skipped runs and runs by hand in its
 * first days alone), one that has not run for the last eighty days, and others.
 */
export async function fill(sql: Sql, size: Size): Promise<void> {
  const largest = Math.round(size.jobs * LARGEST)
  const old = Math.max(1, Math.round(size.jobs * OLD))
  const indexes = await dropIndexes(sql)
  await sql.begin(async sql => {
    // The checks of foreign keys would take most of the time; every id here is one of the same statement.
    await sql`set local session_replication_role = replica`
    await sql`set local work_mem = '256MB'`
    await sql.unsafe(ID_FUNCTION)
    await sql`
      create temporary table copies on commit drop as
      with seeds as (select row_number() over (order by p.created_at, p.id) as rank, count(*) over () as projects,
          j.id as seed, p.id as project from projects p join jobs j on j.project_id = p.id)
      select n, s.seed, pg_temp.id_at('job', made, n) as job, pg_temp.id_at('req', made, n) as request,
        pg_temp.id_at('sch', made, n) as schedule, made
      from generate_series(1, ${size.jobs}::int) n
      cross join lateral (select clock_timestamp() - interval '91 days' + n * interval '10 milliseconds' as made) t
      join seeds s on s.rank = case when n <= ${largest}::int then 1
        when n <= ${largest + old}::int then 2 else 3 + n % (s.projects - 2) end`
    await copy(sql, 'request_versions', 'job_id', { id: 'c.request', job_id: 'c.job', created_at: 'c.made' })
    await copy(sql, 'schedule_versions', 'job_id', {
      id: 'c.schedule',
      job_id: 'c.job',
      valid_from: 'c.made',
      anchor_at: 'c.made',
    })
    await copy(sql, 'jobs', 'id', {
      id: 'c.job',
      name: "'report-' || c.n",
      description: "'Sends the figures of shop ' || md5(c.n::text)",
      request_version_id: 'c.request',
      schedule_version_id: 'c.schedule',
      created_at: 'c.made',
      updated_at: 'c.made',
      tags: "array['team-' || c.n % 50, 'prod'] || case when c.n % 20000 = 7 then '{rare}'::text[] else '{}' end",
      state: "case when c.n % 20000 = 11 then 'paused' else 'active' end",
      next_run_at:
        "case when c.n % 20000 <> 11 then now() + interval '300 days' + c.n * interval '1 second' end",
    })
    // No trigger has seen these jobs.
    await sql`
      insert into job_tags (organization_id, project_id, tag, created_at, job_id)
      select organization_id, project_id, unnest(tags), created_at, id from jobs on conflict do nothing`
    await sql`
      insert into job_search (organization_id, project_id, created_at, job_id, text)
      select organization_id, project_id, created_at, id, lower(name) || E'\\n' || lower(description) from jobs
      on conflict do nothing`
    await fillRuns(sql, size, largest, old)
  })
  for (const definition of indexes) await sql.unsafe(definition)
  await sql`vacuum analyze`.simple()
  await sql`checkpoint`.simple()
}

/** A row for each copy, as its seed's, but for some columns, which are given as expressions over `copies c`. */
async function copy(sql: TransactionSql, table: string, seed: string, own: Readonly<Record<string, string>>) {
  const columns = await sql<{ column_name: string }[]>`
    select column_name from information_schema.columns where table_schema = 'public' and table_name = ${table}`
  const names = columns.map(({ column_name }) => column_name)
  await sql.unsafe(`
    insert into ${table} (${names.join(', ')}) select ${names.map(name => own[name] ?? `s.${name}`).join(', ')}
    from copies c join ${table} s on s.${seed} = c.seed order by c.n`)
}

async function fillRuns(
  sql: TransactionSql,
  { jobs, runs }: Size,
  largest: number,
  old: number,
): Promise<void> {
  await sql`create unique index on copies (n)`
  await sql`analyze copies`
  await sql`
    insert into runs (id, organization_id, project_id, job_id, request_version_id, trigger, scheduled_for, state,
      skip_reason, created_at, started_at, finished_at, due_at, set_going_by, pending_at, host, attempts_made,
      attempts_counted, error_class, error_message)
    select pg_temp.id_at('run', t.at, t.i), j.organization_id, j.project_id, c.job, c.request, how, t.at, fate,
      case when fate = 'skipped' then 'overlap' end, at, case when fate <> 'skipped' and ended then at end,
      case when ended then at + interval '300 ms' end, case when not ended then now() + interval '300 days' end,
      case when how = 'manual' then 'manual' else 'schedule' end, at, 'target.example', 1, 1,
      case when fate = 'failed' then 'http_status' end, case when fate = 'failed' then 'The target answered 503.' end
    from (
      select i, date_trunc('milliseconds', now() - interval '90 days' + i * (interval '90 days' / ${runs}::int)) as at,
        i < ${runs}::int * 0.06 as early, hashint4(i) & 2147483647 as random, i > ${runs - 500}::int as latest
      from generate_series(1, ${runs}::int) i
    ) t
    cross join lateral (select
      case when early and i % 2 = 0 then 1 + ${largest}::int + random % ${old}::int when i % 50 = 0 then 1
        when i % 5 < 2 then 1 + random % ${largest}::int
        else 1 + ${largest + old}::int + random % ${jobs - largest - old}::int end as n) which
    cross join lateral (select case when early and i % 101 = 7 then 'manual' else 'schedule' end as how,
      case when latest and n > ${largest + old}::int then case when i % 2 = 0 then 'pending' else 'running' end
        when (early or n > ${largest}::int) and i % 33 = 1 then 'failed'
        when early and i % 97 = 1 then 'cancelled' when early and i % 103 = 1 then 'skipped'
        else 'succeeded' end as fate) what
    cross join lateral (select fate not in ('pending', 'running') as ended) whether
    join copies c on c.n = which.n join jobs j on j.id = c.seed
    order by i`
  await sql`
    insert into attempts (id, organization_id, run_id, number, state, fence, started_at, finished_at, response_status,
      total_ms)
    select 'att_' || substr(id, 5), organization_id, id, 1, 'succeeded', 1, created_at, finished_at, 200, 12
    from runs where state = 'succeeded' order by id desc limit ${Math.round(runs / 10)}`
}

/** A typed id as core/id.ts makes it: the time in 10 characters of Crockford's base 32, then 16 that differ. */
const ID_FUNCTION = `
  create function pg_temp.id_of(prefix text, ms bigint, n bigint) returns text language sql immutable as $$
    select prefix || '_' || ${Array.from(
      { length: 10 },
      (_, place) =>
        `substr('0123456789abcdefghjkmnpqrstvwxyz', ((ms >> ${45 - 5 * place}) & 31)::int + 1, 1)`,
    ).join(' || ')} || left(md5(n::text), 16)
  $$;
  create function pg_temp.id_at(prefix text, at timestamptz, n bigint) returns text language sql stable as $$
    select pg_temp.id_of(prefix, floor(extract(epoch from at) * 1000)::bigint, n)
  $$`

/** Drops what no constraint stands on; @returns the statements that make them again. */
async function dropIndexes(sql: Sql): Promise<string[]> {
  const found = await sql<{ name: string; definition: string }[]>`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
    where i.indrelid = any(array['jobs', 'runs', 'attempts', 'request_versions', 'schedule_versions']::regclass[])
      and not i.indisprimary and not exists (select 1 from pg_constraint where conindid = i.indexrelid)`
  for (const { name } of found) await sql.unsafe(`drop index ${name}`)
  return found.map(({ definition }) => definition)
}
