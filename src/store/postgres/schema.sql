CREATE TABLE events (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
  session_id bigint NOT NULL,
  type integer NOT NULL,
  at bigint NOT NULL,
  from_seq bigint,
  to_seq bigint,
  data text
);

CREATE TABLE hidden_ranges (
  session_id bigint NOT NULL,
  from_seq bigint NOT NULL,
  to_seq bigint NOT NULL
);

CREATE TABLE memos (
  session_id bigint NOT NULL,
  version integer NOT NULL,
  through_seq bigint NOT NULL,
  memo text NOT NULL
);

CREATE TABLE message_versions (
  session_id bigint NOT NULL,
  seq bigint NOT NULL,
  version integer NOT NULL,
  content text NOT NULL,
  format integer NOT NULL,
  replaced_at bigint NOT NULL
);

CREATE TABLE messages (
  session_id bigint NOT NULL,
  seq bigint NOT NULL,
  role integer NOT NULL,
  sender_id bigint,
  content text NOT NULL,
  format integer NOT NULL,
  at bigint NOT NULL,
  lag bigint NOT NULL,
  external_key text COLLATE "C",
  extras text,
  version integer NOT NULL DEFAULT 1,
  characters bigint NOT NULL,
  tokens bigint NOT NULL,
  flags integer NOT NULL,
  position integer NOT NULL,
  total_messages bigint NOT NULL,
  total_turns bigint NOT NULL,
  total_replies bigint NOT NULL,
  total_characters bigint NOT NULL,
  total_tokens bigint NOT NULL
);

CREATE TABLE migrations (
  version integer NOT NULL,
  applied_at timestamp with time zone NOT NULL
);

CREATE TABLE operations (
  session_id bigint NOT NULL,
  operation_id text NOT NULL,
  result text NOT NULL
);

CREATE TABLE pins (
  session_id bigint NOT NULL,
  id bigint NOT NULL,
  seq bigint,
  note text,
  tokens bigint NOT NULL,
  created_at bigint NOT NULL
);

CREATE TABLE segments (
  session_id bigint NOT NULL,
  id bigint NOT NULL,
  from_seq bigint NOT NULL,
  to_seq bigint NOT NULL,
  message_count bigint NOT NULL,
  summary text NOT NULL,
  events text NOT NULL,
  details text NOT NULL,
  level integer NOT NULL,
  state text NOT NULL,
  rolled_into bigint,
  type text NOT NULL,
  reason text NOT NULL,
  summarizer text NOT NULL,
  prompt_version text NOT NULL,
  tokens_before bigint NOT NULL,
  tokens_after bigint NOT NULL,
  created_at bigint NOT NULL,
  text text NOT NULL DEFAULT '""'::text
);

CREATE TABLE senders (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  namespace text COLLATE "C" NOT NULL,
  sender_key text COLLATE "C" NOT NULL,
  sender text NOT NULL
);

CREATE TABLE sessions (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  namespace text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  name text NOT NULL,
  ready integer NOT NULL DEFAULT 1,
  kind text NOT NULL,
  user_id text,
  scope_id text,
  origin text,
  settings text,
  created_at bigint NOT NULL,
  epoch bigint NOT NULL DEFAULT 0,
  compacted_through bigint NOT NULL DEFAULT 0,
  folded_messages bigint NOT NULL DEFAULT 0,
  folded_turns bigint NOT NULL DEFAULT 0,
  folded_characters bigint NOT NULL DEFAULT 0,
  folded_tokens bigint NOT NULL DEFAULT 0,
  decided_messages bigint NOT NULL DEFAULT 0,
  decided_replies bigint NOT NULL DEFAULT 0,
  decided_at bigint,
  last_fold_at bigint,
  stalled text,
  segment_tokens bigint NOT NULL DEFAULT 0,
  overhead_tokens bigint NOT NULL DEFAULT 0,
  backoff_until bigint,
  failures bigint NOT NULL DEFAULT 0,
  last_outcome text,
  hidden_through bigint NOT NULL DEFAULT 0,
  visible_before bigint NOT NULL DEFAULT 0,
  pending text,
  due_at bigint,
  lease_token bigint NOT NULL DEFAULT 0,
  lease_owner text,
  lease_until bigint,
  calibrations text,
  epoch_calibrations text,
  rewrites text
);

CREATE TABLE settings (
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL
);

CREATE UNIQUE INDEX events_pkey ON events USING btree (transaction_id, id);

CREATE UNIQUE INDEX hidden_ranges_pkey ON hidden_ranges USING btree (session_id, from_seq);

CREATE UNIQUE INDEX memos_pkey ON memos USING btree (session_id, version);

CREATE UNIQUE INDEX message_versions_pkey ON message_versions USING btree (session_id, seq, version);

CREATE UNIQUE INDEX messages_by_external_key ON messages USING btree (session_id, external_key) WHERE (external_key IS NOT NULL);

CREATE UNIQUE INDEX messages_pkey ON messages USING btree (session_id, seq);

CREATE UNIQUE INDEX migrations_pkey ON migrations USING btree (version);

CREATE UNIQUE INDEX operations_pkey ON operations USING btree (session_id, operation_id);

CREATE UNIQUE INDEX pins_pkey ON pins USING btree (session_id, id);

CREATE UNIQUE INDEX segments_pkey ON segments USING btree (session_id, id);

CREATE INDEX segments_rolled_up ON segments USING btree (session_id, rolled_into) WHERE (rolled_into IS NOT NULL);

CREATE INDEX segments_shown ON segments USING btree (session_id, from_seq) WHERE (rolled_into IS NULL);

CREATE UNIQUE INDEX senders_by_key ON senders USING btree (namespace, sender_key);

CREATE UNIQUE INDEX senders_pkey ON senders USING btree (id);

CREATE INDEX sessions_building ON sessions USING btree (id) WHERE (ready = 0);

CREATE UNIQUE INDEX sessions_by_name ON sessions USING btree (namespace, name_key);

CREATE INDEX sessions_due ON sessions USING btree (namespace, due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX sessions_pending ON sessions USING btree (namespace, name_key) WHERE (pending IS NOT NULL);

CREATE UNIQUE INDEX sessions_pkey ON sessions USING btree (id);

CREATE UNIQUE INDEX settings_pkey ON settings USING btree (namespace, name);
