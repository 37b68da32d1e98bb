-- The history by type: pipelines and containers may be few among many requests. The conditions are those of
-- packages/services/src/execution/run-kind.ts, to the letter.
CREATE INDEX "runs_of_pipelines" ON "runs" ("project_id", "id" DESC) WHERE "step_count" > 0;
CREATE INDEX "runs_of_images" ON "runs" ("project_id", "id" DESC) WHERE "step_count" = 0 AND "host" = '*image';
