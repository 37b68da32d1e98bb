-- A container counts in its project's bounds until it is gone, also when its run has gone on or is removed: so its row
-- says whose it is, which step of its run it is of, and who watches it. Nothing has written to the table before.
ALTER TABLE "container_handles"
  ADD COLUMN "project_id" TEXT NOT NULL,
  ADD COLUMN "job_id" TEXT NOT NULL,
  ADD COLUMN "step" SMALLINT NOT NULL DEFAULT 0,
  ADD COLUMN "worker_id" TEXT,
  ADD COLUMN "started_at" TIMESTAMPTZ(3);
ALTER TABLE "container_handles" ADD CONSTRAINT "container_handles_organization_id_project_id_fkey" FOREIGN KEY ("organization_id", "project_id") REFERENCES "projects"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
-- Those that are there: what a project has in flight, what a run waits for, what nobody watches.
CREATE INDEX "container_handles_of_project" ON "container_handles" ("project_id", "job_id") WHERE "gone_at" IS NULL;
CREATE INDEX "container_handles_of_run" ON "container_handles" ("run_id") WHERE "gone_at" IS NULL;

-- What this installation is called where it shares a cluster or engine with others: one row.
CREATE TABLE "installations" (
    "id" BOOLEAN NOT NULL DEFAULT true,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "installations_pkey" PRIMARY KEY ("id")
);
ALTER TABLE "installations" ADD CONSTRAINT "installations_one_check" CHECK ("id");
