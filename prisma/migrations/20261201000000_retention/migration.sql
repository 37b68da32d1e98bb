-- Retention walks the ended runs in this order, each batch going on where the one before it stopped.
DROP INDEX "runs_finished";
CREATE INDEX "runs_finished" ON "runs" ("finished_at", "id") WHERE "finished_at" IS NOT NULL;

-- A run refers to a version of its own job. When a version is removed, the check whether a run still refers to it then
-- looks at the runs of that one job (runs_of_job), instead of all runs there are.
ALTER TABLE "runs" DROP CONSTRAINT "runs_organization_id_request_version_id_fkey";
DROP INDEX "request_versions_organization_id_id_key";
CREATE UNIQUE INDEX "request_versions_organization_id_job_id_id_key" ON "request_versions"("organization_id", "job_id", "id");
ALTER TABLE "runs" ADD CONSTRAINT "runs_organization_id_job_id_request_version_id_fkey" FOREIGN KEY ("organization_id", "job_id", "request_version_id") REFERENCES "request_versions"("organization_id", "job_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
