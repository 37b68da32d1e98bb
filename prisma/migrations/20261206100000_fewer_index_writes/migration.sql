-- A run is written at its creation, its begin and its end, and each write that touches an indexed column writes into every
-- index of the table. Fewer indexes, and none over a column that begin changes, so that begin stays on its page.

-- One index for the id alone and for the foreign keys of the tenant: these match its columns in any order.
ALTER TABLE "steps" DROP CONSTRAINT "steps_organization_id_run_id_fkey";
ALTER TABLE "attempts" DROP CONSTRAINT "attempts_organization_id_run_id_fkey";
ALTER TABLE "callback_tokens" DROP CONSTRAINT "callback_tokens_organization_id_attempt_id_fkey";
DROP INDEX "runs_organization_id_id_key";
DROP INDEX "attempts_organization_id_id_key";
ALTER TABLE "runs" DROP CONSTRAINT "runs_pkey", ADD CONSTRAINT "runs_pkey" PRIMARY KEY ("id", "organization_id");
ALTER TABLE "attempts" DROP CONSTRAINT "attempts_pkey", ADD CONSTRAINT "attempts_pkey" PRIMARY KEY ("id", "organization_id");
ALTER TABLE "steps" ADD CONSTRAINT "steps_organization_id_run_id_fkey" FOREIGN KEY ("organization_id", "run_id") REFERENCES "runs"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "attempts" ADD CONSTRAINT "attempts_organization_id_run_id_fkey" FOREIGN KEY ("organization_id", "run_id") REFERENCES "runs"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "callback_tokens" ADD CONSTRAINT "callback_tokens_organization_id_attempt_id_fkey" FOREIGN KEY ("organization_id", "attempt_id") REFERENCES "attempts"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Under way is what has not ended (runs_finished_at_check says that the two are the same): begin does not change it.
DROP INDEX "runs_open";
CREATE INDEX "runs_open" ON "runs" ("job_id") WHERE "finished_at" IS NULL;
-- Slots taken, per project and host; and since when, for the rescuer.
DROP INDEX "runs_admitted";
DROP INDEX "runs_slots";
CREATE INDEX "runs_slots" ON "runs" ("project_id", "slot_host", "admitted_at") WHERE "slot_host" IS NOT NULL;

-- The first of a project's waiting runs in the order of admission: whether anything waits is asked at every end of a call.
CREATE INDEX "runs_waiting_in_order" ON "runs" ("project_id", "admission_rank", "due_at", "id") WHERE "due_at" IS NOT NULL AND NOT "waits_for_turn";

-- Begin finds room on the page that the run was made on.
ALTER TABLE "runs" SET (fillfactor = 60);
