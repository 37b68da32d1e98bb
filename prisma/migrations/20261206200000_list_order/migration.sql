-- Lists of runs go by these, in an order that the primary key does not have, though it is the same one: for a project or
-- job that it takes for a large share of all runs, the planner would otherwise walk the runs of every tenant, newest
-- first, which takes seconds where that share is old.
DROP INDEX "runs_of_job";
DROP INDEX "runs_of_project";
CREATE INDEX "runs_of_job" ON "runs" ("job_id", "id" COLLATE "C" DESC);
CREATE INDEX "runs_of_project" ON "runs" ("project_id", "id" COLLATE "C" DESC);

-- The few among many: what a filter asks for. None is over a column that begin changes, so begin stays on its page, and
-- a run that succeeds by its schedule writes into the first alone, once.
CREATE INDEX "runs_open_of_project" ON "runs" ("project_id", "id" COLLATE "C" DESC) WHERE "finished_at" IS NULL;
CREATE INDEX "runs_failed" ON "runs" ("project_id", "id" COLLATE "C" DESC) WHERE "finished_at" IS NOT NULL AND "error_class" <> 'cancelled';
CREATE INDEX "runs_failed_of_job" ON "runs" ("job_id", "id" COLLATE "C" DESC) WHERE "finished_at" IS NOT NULL AND "error_class" <> 'cancelled';
CREATE INDEX "runs_cancelled" ON "runs" ("project_id", "id" COLLATE "C" DESC) WHERE "finished_at" IS NOT NULL AND "error_class" = 'cancelled';
CREATE INDEX "runs_skipped" ON "runs" ("project_id", "id" COLLATE "C" DESC) WHERE "skip_reason" IS NOT NULL;
CREATE INDEX "runs_by_hand" ON "runs" ("project_id", "trigger", "id" COLLATE "C" DESC) WHERE "trigger" <> 'schedule';
-- Runs made long after their time, which a bound on the time cannot find by their id.
CREATE INDEX "runs_made_late" ON "runs" ("project_id", "id" COLLATE "C" DESC) WHERE "created_at" - "scheduled_for" > '1 hour';
-- Jobs that do not fire, and those that do something other than a call.
CREATE INDEX "jobs_idle" ON "jobs" ("project_id", "state", "created_at" DESC, "id" DESC) WHERE "deleted_at" IS NULL AND "state" <> 'active';
CREATE INDEX "jobs_of_kind" ON "jobs" ("project_id", "kind", "created_at" DESC, "id" DESC) WHERE "deleted_at" IS NULL AND "kind" <> 'http';
