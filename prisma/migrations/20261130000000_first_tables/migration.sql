-- CreateTable
CREATE TABLE "users" (
    "id" TEXT NOT NULL,
    "name" TEXT,
    "email" TEXT NOT NULL,
    "email_verified" TIMESTAMPTZ(3),
    "image" TEXT,
    "password_hash" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "accounts" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "provider_account_id" TEXT NOT NULL,
    "refresh_token" TEXT,
    "access_token" TEXT,
    "expires_at" INTEGER,
    "token_type" TEXT,
    "scope" TEXT,
    "id_token" TEXT,
    "session_state" TEXT,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id" TEXT NOT NULL,
    "session_token" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "expires" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sign_in_tokens" (
    "identifier" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "expires" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_tokens_pkey" PRIMARY KEY ("identifier","token")
);

-- CreateTable
CREATE TABLE "organizations" (
    "id" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "limits" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "organizations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "memberships" (
    "organization_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("organization_id","user_id")
);

-- CreateTable
CREATE TABLE "invitations" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "invited_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "accepted_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "invitations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "projects" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "default_settings" JSONB NOT NULL DEFAULT '{}',
    "limits" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "projects_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "hint" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "created_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "signing_secrets" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "ciphertext" BYTEA NOT NULL,
    "encryption_key_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "signing_secrets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "jobs" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "request_version_id" TEXT,
    "schedule_version_id" TEXT,
    "max_attempts" INTEGER NOT NULL,
    "min_backoff_seconds" INTEGER NOT NULL,
    "max_backoff_seconds" INTEGER NOT NULL,
    "backoff_multiplier" DOUBLE PRECISION NOT NULL,
    "retry_on_4xx" BOOLEAN NOT NULL,
    "overlap" TEXT NOT NULL,
    "missed" TEXT NOT NULL,
    "next_run_at" TIMESTAMPTZ(3),
    "revision" INTEGER NOT NULL DEFAULT 1,
    "last_success_at" TIMESTAMPTZ(3),
    "last_failure_at" TIMESTAMPTZ(3),
    "consecutive_failures" INTEGER NOT NULL DEFAULT 0,
    "runs_succeeded" BIGINT NOT NULL DEFAULT 0,
    "runs_failed" BIGINT NOT NULL DEFAULT 0,
    "runs_cancelled" BIGINT NOT NULL DEFAULT 0,
    "runs_skipped" BIGINT NOT NULL DEFAULT 0,
    "pruned_through" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "jobs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "request_versions" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "job_id" TEXT NOT NULL,
    "request" JSONB NOT NULL,
    "host" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "request_versions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "schedule_versions" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "job_id" TEXT NOT NULL,
    "cron" TEXT,
    "dialect" TEXT NOT NULL,
    "interval_minutes" INTEGER,
    "at" TIMESTAMPTZ(3),
    "timezone" TEXT NOT NULL,
    "from_at" TIMESTAMPTZ(3),
    "to_at" TIMESTAMPTZ(3),
    "anchor_at" TIMESTAMPTZ(3) NOT NULL,
    "valid_from" TIMESTAMPTZ(3) NOT NULL,
    "valid_to" TIMESTAMPTZ(3),

    CONSTRAINT "schedule_versions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "pause_intervals" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "job_id" TEXT NOT NULL,
    "paused_at" TIMESTAMPTZ(3) NOT NULL,
    "resumed_at" TIMESTAMPTZ(3),

    CONSTRAINT "pause_intervals_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "secret_values" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "job_id" TEXT NOT NULL,
    "ciphertext" BYTEA NOT NULL,
    "encryption_key_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "secret_values_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "runs" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "job_id" TEXT NOT NULL,
    "request_version_id" TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    "scheduled_for" TIMESTAMPTZ(3) NOT NULL,
    "state" TEXT NOT NULL,
    "skip_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "next_attempt_at" TIMESTAMPTZ(3),
    "set_going_by" TEXT NOT NULL,
    "pending_at" TIMESTAMPTZ(3) NOT NULL,
    "put_back" BOOLEAN NOT NULL DEFAULT false,
    "waits_for_turn" BOOLEAN NOT NULL DEFAULT false,
    "due_at" TIMESTAMPTZ(3),
    "admission_rank" SMALLINT NOT NULL DEFAULT 1,
    "host" TEXT NOT NULL,
    "slot_host" TEXT,
    "admitted_at" TIMESTAMPTZ(3),
    "task_number" INTEGER NOT NULL DEFAULT 0,
    "current_attempt_id" TEXT,
    "current_step" SMALLINT NOT NULL DEFAULT 0,
    "attempts_made" INTEGER NOT NULL DEFAULT 0,
    "attempts_counted" INTEGER NOT NULL DEFAULT 0,
    "lost_in_a_row" SMALLINT NOT NULL DEFAULT 0,
    "error_class" TEXT,
    "error_message" TEXT,
    "cancel_requested_at" TIMESTAMPTZ(3),
    "finished_out_of_time" BOOLEAN NOT NULL DEFAULT false,
    "late_result" JSONB,

    CONSTRAINT "runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "steps" (
    "organization_id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "position" SMALLINT NOT NULL,
    "step_id" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "attempts_made" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "error_class" TEXT,
    "error_message" TEXT,
    "result" TEXT,
    "result_description" TEXT,

    CONSTRAINT "steps_pkey" PRIMARY KEY ("run_id","position")
);

-- CreateTable
CREATE TABLE "attempts" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "step_id" TEXT NOT NULL DEFAULT '',
    "number" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "worker_id" TEXT,
    "fence" BIGINT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "dns_ms" REAL,
    "connect_ms" REAL,
    "tls_ms" REAL,
    "first_byte_ms" REAL,
    "total_ms" REAL,
    "response_status" SMALLINT,
    "response_headers" JSONB,
    "response_body" BYTEA,
    "response_truncated" BOOLEAN NOT NULL DEFAULT false,
    "error_class" TEXT,
    "error_message" TEXT,
    "next_attempt_at" TIMESTAMPTZ(3),
    "next_attempt_reason" TEXT,
    "callback_deadline" TIMESTAMPTZ(3),
    "callback_received_at" TIMESTAMPTZ(3),
    "callback_result" TEXT,
    "callback_description" TEXT,
    "late_result" JSONB,
    "log" TEXT,

    CONSTRAINT "attempts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "callback_tokens" (
    "attempt_id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "server_key_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "callback_tokens_pkey" PRIMARY KEY ("attempt_id")
);

-- CreateTable
CREATE TABLE "container_handles" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "attempt_id" TEXT NOT NULL,
    "executor" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "deadline_at" TIMESTAMPTZ(3) NOT NULL,
    "removing_since" TIMESTAMPTZ(3),
    "gone_at" TIMESTAMPTZ(3),

    CONSTRAINT "container_handles_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workers" (
    "id" TEXT NOT NULL,
    "pool_id" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "version" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "lease_expires_at" TIMESTAMPTZ(3) NOT NULL,
    "stopped_at" TIMESTAMPTZ(3),
    "lost_at" TIMESTAMPTZ(3),

    CONSTRAINT "workers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "counters" (
    "organization_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "metric" TEXT NOT NULL,
    "label" TEXT NOT NULL DEFAULT '',
    "value" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "counters_pkey" PRIMARY KEY ("project_id","metric","label")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "organization_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "body_hash" BYTEA NOT NULL,
    "owner" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "response_status" SMALLINT,
    "response_headers" JSONB,
    "response_body" TEXT,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("project_id","method","path","key")
);

-- CreateTable
CREATE TABLE "alert_channels" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "config" JSONB NOT NULL,
    "ciphertext" BYTEA,
    "encryption_key_id" TEXT,
    "last_error" TEXT,
    "last_error_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "alert_channels_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alert_rules" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "job_id" TEXT,
    "name" TEXT NOT NULL,
    "condition" JSONB NOT NULL,
    "channels" TEXT[],
    "remind_minutes" INTEGER,
    "snoozed_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "alert_rules_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "incidents" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "alert_rule_id" TEXT NOT NULL,
    "job_id" TEXT NOT NULL,
    "opened_at" TIMESTAMPTZ(3) NOT NULL,
    "recovered_at" TIMESTAMPTZ(3),
    "last_notified_at" TIMESTAMPTZ(3),
    "details" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "incidents_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "project_id" TEXT,
    "actor_kind" TEXT NOT NULL,
    "actor_id" TEXT,
    "actor_name" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject_kind" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "subject_name" TEXT NOT NULL,
    "before" JSONB,
    "after" JSONB,
    "request_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE INDEX "accounts_user_id_idx" ON "accounts"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "accounts_provider_provider_account_id_key" ON "accounts"("provider", "provider_account_id");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_session_token_key" ON "sessions"("session_token");

-- CreateIndex
CREATE INDEX "sessions_user_id_idx" ON "sessions"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "sign_in_tokens_token_key" ON "sign_in_tokens"("token");

-- CreateIndex
CREATE UNIQUE INDEX "organizations_slug_key" ON "organizations"("slug");

-- CreateIndex
CREATE INDEX "memberships_user_id_idx" ON "memberships"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "invitations_token_hash_key" ON "invitations"("token_hash");

-- CreateIndex
CREATE INDEX "invitations_organization_id_created_at_idx" ON "invitations"("organization_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "projects_organization_id_id_key" ON "projects"("organization_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "projects_organization_id_slug_key" ON "projects"("organization_id", "slug");

-- CreateIndex
CREATE INDEX "api_keys_organization_id_project_id_created_at_idx" ON "api_keys"("organization_id", "project_id", "created_at");

-- CreateIndex
CREATE INDEX "signing_secrets_organization_id_project_id_created_at_idx" ON "signing_secrets"("organization_id", "project_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "jobs_organization_id_id_key" ON "jobs"("organization_id", "id");

-- CreateIndex
CREATE INDEX "request_versions_organization_id_job_id_created_at_idx" ON "request_versions"("organization_id", "job_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "request_versions_organization_id_id_key" ON "request_versions"("organization_id", "id");

-- CreateIndex
CREATE INDEX "schedule_versions_organization_id_job_id_valid_from_idx" ON "schedule_versions"("organization_id", "job_id", "valid_from");

-- CreateIndex
CREATE UNIQUE INDEX "schedule_versions_organization_id_id_key" ON "schedule_versions"("organization_id", "id");

-- CreateIndex
CREATE INDEX "pause_intervals_organization_id_job_id_paused_at_idx" ON "pause_intervals"("organization_id", "job_id", "paused_at");

-- CreateIndex
CREATE INDEX "secret_values_organization_id_job_id_idx" ON "secret_values"("organization_id", "job_id");

-- CreateIndex
CREATE UNIQUE INDEX "runs_organization_id_id_key" ON "runs"("organization_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "runs_job_id_scheduled_for_key" ON "runs"("job_id", "scheduled_for");

-- CreateIndex
CREATE UNIQUE INDEX "steps_run_id_step_id_key" ON "steps"("run_id", "step_id");

-- CreateIndex
CREATE UNIQUE INDEX "attempts_organization_id_id_key" ON "attempts"("organization_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "attempts_run_id_step_id_number_key" ON "attempts"("run_id", "step_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "callback_tokens_organization_id_attempt_id_key" ON "callback_tokens"("organization_id", "attempt_id");

-- CreateIndex
CREATE INDEX "container_handles_attempt_id_idx" ON "container_handles"("attempt_id");

-- CreateIndex
CREATE UNIQUE INDEX "container_handles_executor_namespace_name_key" ON "container_handles"("executor", "namespace", "name");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "alert_channels_organization_id_id_key" ON "alert_channels"("organization_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "alert_channels_organization_id_name_key" ON "alert_channels"("organization_id", "name");

-- CreateIndex
CREATE INDEX "alert_rules_organization_id_job_id_idx" ON "alert_rules"("organization_id", "job_id");

-- CreateIndex
CREATE UNIQUE INDEX "alert_rules_organization_id_id_key" ON "alert_rules"("organization_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "alert_rules_project_id_name_key" ON "alert_rules"("project_id", "name");

-- CreateIndex
CREATE INDEX "incidents_organization_id_alert_rule_id_opened_at_idx" ON "incidents"("organization_id", "alert_rule_id", "opened_at");

-- CreateIndex
CREATE INDEX "audit_entries_organization_id_created_at_id_idx" ON "audit_entries"("organization_id", "created_at" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "projects" ADD CONSTRAINT "projects_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_organization_id_project_id_fkey" FOREIGN KEY ("organization_id", "project_id") REFERENCES "projects"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "signing_secrets" ADD CONSTRAINT "signing_secrets_organization_id_project_id_fkey" FOREIGN KEY ("organization_id", "project_id") REFERENCES "projects"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_organization_id_project_id_fkey" FOREIGN KEY ("organization_id", "project_id") REFERENCES "projects"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "request_versions" ADD CONSTRAINT "request_versions_organization_id_job_id_fkey" FOREIGN KEY ("organization_id", "job_id") REFERENCES "jobs"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "schedule_versions" ADD CONSTRAINT "schedule_versions_organization_id_job_id_fkey" FOREIGN KEY ("organization_id", "job_id") REFERENCES "jobs"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pause_intervals" ADD CONSTRAINT "pause_intervals_organization_id_job_id_fkey" FOREIGN KEY ("organization_id", "job_id") REFERENCES "jobs"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "secret_values" ADD CONSTRAINT "secret_values_organization_id_job_id_fkey" FOREIGN KEY ("organization_id", "job_id") REFERENCES "jobs"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_organization_id_job_id_fkey" FOREIGN KEY ("organization_id", "job_id") REFERENCES "jobs"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_organization_id_project_id_fkey" FOREIGN KEY ("organization_id", "project_id") REFERENCES "projects"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_organization_id_request_version_id_fkey" FOREIGN KEY ("organization_id", "request_version_id") REFERENCES "request_versions"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "steps" ADD CONSTRAINT "steps_organization_id_run_id_fkey" FOREIGN KEY ("organization_id", "run_id") REFERENCES "runs"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "attempts" ADD CONSTRAINT "attempts_organization_id_run_id_fkey" FOREIGN KEY ("organization_id", "run_id") REFERENCES "runs"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "callback_tokens" ADD CONSTRAINT "callback_tokens_organization_id_attempt_id_fkey" FOREIGN KEY ("organization_id", "attempt_id") REFERENCES "attempts"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "container_handles" ADD CONSTRAINT "container_handles_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "counters" ADD CONSTRAINT "counters_organization_id_project_id_fkey" FOREIGN KEY ("organization_id", "project_id") REFERENCES "projects"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_organization_id_project_id_fkey" FOREIGN KEY ("organization_id", "project_id") REFERENCES "projects"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_channels" ADD CONSTRAINT "alert_channels_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_rules" ADD CONSTRAINT "alert_rules_organization_id_project_id_fkey" FOREIGN KEY ("organization_id", "project_id") REFERENCES "projects"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_rules" ADD CONSTRAINT "alert_rules_organization_id_job_id_fkey" FOREIGN KEY ("organization_id", "job_id") REFERENCES "jobs"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "incidents" ADD CONSTRAINT "incidents_organization_id_alert_rule_id_fkey" FOREIGN KEY ("organization_id", "alert_rule_id") REFERENCES "alert_rules"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What Prisma cannot say -------------------------------------------------------------------------------

-- Words that may stand in a state, kind or policy (spec sections 1 to 5).
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_role_check" CHECK ("role" IN ('viewer', 'operator', 'developer', 'admin', 'owner'));
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_role_check" CHECK ("role" IN ('viewer', 'operator', 'developer', 'admin', 'owner'));
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_scope_check" CHECK ("scope" IN ('read', 'run', 'write'));
ALTER TABLE "users" ADD CONSTRAINT "users_email_check" CHECK ("email" = lower("email"));

ALTER TABLE "jobs"
  ADD CONSTRAINT "jobs_name_check" CHECK ("name" ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'),
  ADD CONSTRAINT "jobs_kind_check" CHECK ("kind" IN ('http', 'image', 'pipeline')),
  ADD CONSTRAINT "jobs_state_check" CHECK ("state" IN ('active', 'paused', 'completed')),
  ADD CONSTRAINT "jobs_overlap_check" CHECK ("overlap" IN ('skip', 'queue', 'allow')),
  ADD CONSTRAINT "jobs_missed_check" CHECK ("missed" IN ('skip', 'catch_up')),
  ADD CONSTRAINT "jobs_max_attempts_check" CHECK ("max_attempts" BETWEEN 1 AND 50),
  ADD CONSTRAINT "jobs_min_backoff_check" CHECK ("min_backoff_seconds" BETWEEN 0 AND 86400),
  ADD CONSTRAINT "jobs_max_backoff_check" CHECK ("max_backoff_seconds" BETWEEN 0 AND 86400),
  ADD CONSTRAINT "jobs_backoff_multiplier_check" CHECK ("backoff_multiplier" BETWEEN 1 AND 10),
  -- Only an active job that is still there fires.
  ADD CONSTRAINT "jobs_next_run_at_check" CHECK ("next_run_at" IS NULL OR ("state" = 'active' AND "deleted_at" IS NULL));

ALTER TABLE "schedule_versions"
  ADD CONSTRAINT "schedule_versions_dialect_check" CHECK ("dialect" IN ('standard', 'extended')),
  ADD CONSTRAINT "schedule_versions_one_form_check" CHECK (num_nonnulls("cron", "interval_minutes", "at") = 1),
  ADD CONSTRAINT "schedule_versions_interval_check" CHECK ("interval_minutes" >= 1),
  ADD CONSTRAINT "schedule_versions_valid_check" CHECK ("valid_to" >= "valid_from");
ALTER TABLE "pause_intervals" ADD CONSTRAINT "pause_intervals_order_check" CHECK ("resumed_at" >= "paused_at");

ALTER TABLE "runs"
  ADD CONSTRAINT "runs_trigger_check" CHECK ("trigger" IN ('schedule', 'manual', 'execute_now', 'backfill')),
  ADD CONSTRAINT "runs_state_check" CHECK ("state" IN ('pending', 'running', 'succeeded', 'failed', 'cancelled', 'skipped')),
  ADD CONSTRAINT "runs_set_going_by_check" CHECK ("set_going_by" IN ('schedule', 'manual', 'backfill')),
  ADD CONSTRAINT "runs_skip_reason_check" CHECK (("state" = 'skipped') = ("skip_reason" IS NOT NULL) AND "skip_reason" IN ('overlap', 'missed')),
  ADD CONSTRAINT "runs_finished_at_check" CHECK (("state" IN ('pending', 'running')) = ("finished_at" IS NULL)),
  -- A run that has ended holds nothing and waits for nothing.
  ADD CONSTRAINT "runs_ended_check" CHECK ("state" IN ('pending', 'running') OR num_nonnulls("due_at", "slot_host", "current_attempt_id", "next_attempt_at") = 0 AND NOT "waits_for_turn"),
  ADD CONSTRAINT "runs_slot_check" CHECK (("slot_host" IS NULL) = ("admitted_at" IS NULL) AND ("slot_host" IS NULL OR "due_at" IS NULL));

ALTER TABLE "steps" ADD CONSTRAINT "steps_state_check" CHECK ("state" IN ('pending', 'running', 'succeeded', 'failed', 'cancelled', 'not_run'));

ALTER TABLE "attempts"
  ADD CONSTRAINT "attempts_number_check" CHECK ("number" >= 1),
  ADD CONSTRAINT "attempts_state_check" CHECK ("state" IN ('running', 'waiting', 'succeeded', 'failed', 'cancelled', 'lost')),
  ADD CONSTRAINT "attempts_finished_at_check" CHECK (("state" IN ('running', 'waiting')) = ("finished_at" IS NULL)),
  ADD CONSTRAINT "attempts_error_class_check" CHECK (
    ("state" IN ('running', 'waiting', 'succeeded') AND "error_class" IS NULL) OR ("state" NOT IN ('running', 'waiting', 'succeeded') AND "error_class" IN (
      'blocked', 'dns', 'connect', 'tls', 'timeout', 'reset', 'protocol', 'http_status', 'response_too_large', 'callback_timeout',
      'callback_failed', 'cancelled', 'lost', 'image_pull', 'container_exit', 'container_config', 'evicted', 'executor')));
ALTER TABLE "container_handles" ADD CONSTRAINT "container_handles_executor_check" CHECK ("executor" IN ('kubernetes', 'docker'));

-- A run that has ended stays as it ended, unless it is put back to pending (retry, backfill).
CREATE FUNCTION "runs_keep_to_legal_transitions"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state = 'pending' OR OLD.state = 'running' AND NEW.state <> 'skipped' AND NEW.state <> 'pending'
     OR NEW.state = 'pending' AND NEW.put_back THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'run % cannot go from % to %', OLD.id, OLD.state, NEW.state USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER "runs_legal_transitions" BEFORE UPDATE OF "state" ON "runs"
  FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION "runs_keep_to_legal_transitions"();

-- Fencing tokens of attempts.
CREATE SEQUENCE "attempt_fence" AS bigint CACHE 1000;

-- A name is free again once its job is deleted.
CREATE UNIQUE INDEX "jobs_live_name" ON "jobs" ("project_id", "name") WHERE "deleted_at" IS NULL;
-- The tick: what is due.
CREATE INDEX "jobs_due" ON "jobs" ("next_run_at") WHERE "next_run_at" IS NOT NULL;
-- The list page, newest first.
CREATE INDEX "jobs_list" ON "jobs" ("project_id", "created_at" DESC, "id" DESC) WHERE "deleted_at" IS NULL;
-- Rows of deleted jobs, for those who clear them away.
CREATE INDEX "jobs_deleted" ON "jobs" ("deleted_at") WHERE "deleted_at" IS NOT NULL;
CREATE UNIQUE INDEX "schedule_versions_current" ON "schedule_versions" ("job_id") WHERE "valid_to" IS NULL;
CREATE UNIQUE INDEX "pause_intervals_open" ON "pause_intervals" ("job_id") WHERE "resumed_at" IS NULL;

-- Run lists, newest first: ids are time-ordered.
CREATE INDEX "runs_of_job" ON "runs" ("job_id", "id" DESC);
CREATE INDEX "runs_of_project" ON "runs" ("project_id", "id" DESC);
-- Runs under way: overlap rules look here.
CREATE INDEX "runs_open" ON "runs" ("job_id") WHERE "state" IN ('pending', 'running');
-- Waiting for their time or for a slot: the tick and admission look here.
CREATE INDEX "runs_waiting_by_time" ON "runs" ("due_at") WHERE "due_at" IS NOT NULL AND NOT "waits_for_turn";
CREATE INDEX "runs_waiting_by_host" ON "runs" ("project_id", "host", "admission_rank", "due_at", "id") WHERE "due_at" IS NOT NULL AND NOT "waits_for_turn";
-- Waiting for their turn within their job.
CREATE INDEX "runs_waiting_for_turn" ON "runs" ("job_id", "pending_at", "id") WHERE "waits_for_turn";
-- Slots taken, per project and host.
CREATE INDEX "runs_slots" ON "runs" ("project_id", "slot_host") WHERE "slot_host" IS NOT NULL;
-- Admitted, but no worker has begun yet: the rescuer looks here.
CREATE INDEX "runs_admitted" ON "runs" ("admitted_at") WHERE "slot_host" IS NOT NULL AND "current_attempt_id" IS NULL;
-- Retention.
CREATE INDEX "runs_finished" ON "runs" ("finished_at") WHERE "finished_at" IS NOT NULL;

-- A run has at most one attempt open.
CREATE UNIQUE INDEX "attempts_one_open" ON "attempts" ("run_id") WHERE "state" IN ('running', 'waiting');
-- What a worker holds, for whoever takes over when it dies.
CREATE INDEX "attempts_of_worker" ON "attempts" ("worker_id") WHERE "state" IN ('running', 'waiting');
CREATE INDEX "attempts_waiting" ON "attempts" ("callback_deadline") WHERE "state" = 'waiting';
CREATE INDEX "container_handles_live" ON "container_handles" ("created_at") WHERE "gone_at" IS NULL;
CREATE INDEX "workers_live" ON "workers" ("lease_expires_at") WHERE "stopped_at" IS NULL AND "lost_at" IS NULL;
CREATE UNIQUE INDEX "incidents_open" ON "incidents" ("alert_rule_id", "job_id") WHERE "recovered_at" IS NULL;

-- The busiest rows leave room on their page, so that an update stays there.
ALTER TABLE "jobs" SET (fillfactor = 80);
ALTER TABLE "runs" SET (fillfactor = 80);
ALTER TABLE "attempts" SET (fillfactor = 85);
ALTER TABLE "counters" SET (fillfactor = 50);
