-- What jobs are looked for by, apart from the jobs: a claim writes into every index of its job's row, so indexes for
-- searches and tags would cost each run. Narrow rows, in the order of the lists of jobs.
CREATE TABLE "job_tags" (
    "organization_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "tag" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "job_id" TEXT NOT NULL,

    CONSTRAINT "job_tags_pkey" PRIMARY KEY ("project_id", "tag", "created_at", "job_id")
);
CREATE TABLE "job_search" (
    "organization_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "job_id" TEXT NOT NULL,
    "text" TEXT NOT NULL,

    CONSTRAINT "job_search_pkey" PRIMARY KEY ("project_id", "created_at", "job_id")
);

-- Kept by the database, so that code from before this migration keeps it too. Of jobs that are deleted there are no rows.
CREATE FUNCTION "jobs_keep_search"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM "job_tags"
      WHERE "project_id" = OLD."project_id" AND "tag" = ANY(OLD."tags") AND "created_at" = OLD."created_at"
        AND "job_id" = OLD."id";
    DELETE FROM "job_search"
      WHERE "project_id" = OLD."project_id" AND "created_at" = OLD."created_at" AND "job_id" = OLD."id";
  END IF;
  IF TG_OP <> 'DELETE' AND NEW."deleted_at" IS NULL THEN
    INSERT INTO "job_tags" ("organization_id", "project_id", "tag", "created_at", "job_id")
      SELECT DISTINCT NEW."organization_id", NEW."project_id", "tag", NEW."created_at", NEW."id"
      FROM unnest(NEW."tags") AS "tag";
    INSERT INTO "job_search" ("organization_id", "project_id", "created_at", "job_id", "text")
      VALUES (NEW."organization_id", NEW."project_id", NEW."created_at", NEW."id",
        lower(NEW."name") || E'\n' || lower(NEW."description"));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "jobs_search_kept" AFTER INSERT OR DELETE ON "jobs"
  FOR EACH ROW EXECUTE FUNCTION "jobs_keep_search"();
-- Only where one of these is named: a claim and the end of a run name none.
CREATE TRIGGER "jobs_search_changed" AFTER UPDATE OF "name", "description", "tags", "deleted_at" ON "jobs"
  FOR EACH ROW WHEN (
    (OLD."name", OLD."description", OLD."tags", OLD."deleted_at") IS DISTINCT FROM
    (NEW."name", NEW."description", NEW."tags", NEW."deleted_at"))
  EXECUTE FUNCTION "jobs_keep_search"();

-- The triggers' lock keeps writes to jobs waiting from here to the end, so none is missed.
INSERT INTO "job_tags" ("organization_id", "project_id", "tag", "created_at", "job_id")
  SELECT DISTINCT j."organization_id", j."project_id", "tag", j."created_at", j."id"
  FROM "jobs" j, unnest(j."tags") AS "tag" WHERE j."deleted_at" IS NULL;
INSERT INTO "job_search" ("organization_id", "project_id", "created_at", "job_id", "text")
  SELECT "organization_id", "project_id", "created_at", "id", lower("name") || E'\n' || lower("description")
  FROM "jobs" WHERE "deleted_at" IS NULL ORDER BY "project_id", "created_at", "id";
-- Statements are planned by what is there from the first one on.
ANALYZE "job_tags", "job_search";

-- As runs_made_late, for one job: those of a project may be many more.
CREATE INDEX "runs_made_late_of_job" ON "runs" ("job_id", "id" COLLATE "C" DESC) WHERE "created_at" - "scheduled_for" > '1 hour';
