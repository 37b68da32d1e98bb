import type { Sql, TransactionSql } from '@workly/db'

/** The task that delivers a run's next attempt. */
export const DELIVER_RUN = 'deliver-run'

/**
 * The task of an admitted run, over its `id` and `task_number`: a part of an argument of graphile-worker's `add_jobs`.
 * Its key is the run, so that whether a run has its task can be asked.
 */
export const deliverTask = (sql: Sql | TransactionSql) => sql`
  row(${DELIVER_RUN}, json_build_object('run', id, 'number', task_number), null, null, null, id, null,
    null)::graphile_worker.job_spec`
