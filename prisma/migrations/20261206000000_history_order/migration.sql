-- In an order that the primary key does not have, though it is the same one: to find a project's few pipelines the
-- planner would otherwise walk the runs of every tenant, newest first, where it takes them for many.
DROP INDEX "runs_of_pipelines";
DROP INDEX "runs_of_images";
CREATE INDEX "runs_of_pipelines" ON "runs" ("project_id", "id" COLLATE "C" DESC) WHERE "step_count" > 0;
CREATE INDEX "runs_of_images" ON "runs" ("project_id", "id" COLLATE "C" DESC) WHERE "step_count" = 0 AND "host" = '*image';
