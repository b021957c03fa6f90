CREATE TABLE aliases (
  namespace text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  session_id bigint NOT NULL
);

CREATE TABLE allowances (
  session_id bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  instants text NOT NULL
);

CREATE TABLE api_keys (
  id text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  scopes text NOT NULL,
  hash text NOT NULL,
  created_at bigint NOT NULL
);

CREATE TABLE beginnings (
  session_id bigint NOT NULL,
  after_seq bigint NOT NULL,
  folded_through bigint NOT NULL,
  at bigint NOT NULL
);

CREATE TABLE document_versions (
  document_id bigint NOT NULL,
  version bigint NOT NULL,
  at bigint NOT NULL,
  author_kind text NOT NULL,
  author_name text,
  sources text,
  undoes bigint,
  back text NOT NULL,
  whole text
);

CREATE TABLE documents (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  namespace text COLLATE "C" NOT NULL,
  layer text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  name text NOT NULL,
  session_id bigint,
  day text COLLATE "C",
  version bigint NOT NULL,
  tokens bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  mirrored_version bigint NOT NULL DEFAULT 0,
  mirrored_hash text,
  content text NOT NULL,
  first_version bigint NOT NULL DEFAULT 1,
  packed_through bigint NOT NULL DEFAULT 0,
  owner_id text
);

CREATE TABLE erased_documents (
  namespace text COLLATE "C" NOT NULL,
  layer text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  name text NOT NULL
);

CREATE TABLE erasures (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  namespace text COLLATE "C" NOT NULL,
  target text,
  requested_at bigint NOT NULL,
  stage text NOT NULL,
  places text NOT NULL,
  progress text,
  highest bigint NOT NULL DEFAULT 0,
  list_id text
);

CREATE TABLE event_consumers (
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  major bigint NOT NULL,
  minor bigint NOT NULL,
  generation_key text NOT NULL,
  seen_at bigint NOT NULL,
  seen_lived_ms bigint NOT NULL
);

CREATE TABLE event_trim (
  row integer NOT NULL,
  through_major bigint NOT NULL DEFAULT 0,
  through_minor bigint NOT NULL DEFAULT 0,
  lived_ms bigint NOT NULL DEFAULT 0,
  looked_at bigint,
  retention_ms bigint,
  marks text NOT NULL DEFAULT '[]'::text
);

CREATE TABLE events (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
  session_id bigint NOT NULL,
  type integer NOT NULL,
  at bigint NOT NULL,
  from_seq bigint,
  to_seq bigint,
  data text,
  document_id bigint
);

CREATE TABLE facts (
  document_id bigint NOT NULL,
  id bigint NOT NULL,
  line text NOT NULL,
  line_key text COLLATE "C" NOT NULL,
  subject text,
  session_id bigint NOT NULL,
  from_seq bigint NOT NULL,
  to_seq bigint NOT NULL,
  said_at bigint NOT NULL,
  on_day text,
  source text NOT NULL,
  version bigint NOT NULL,
  superseded_at bigint,
  superseded_by bigint,
  gone bigint NOT NULL DEFAULT 0
);

CREATE TABLE fold_history (
  session_id bigint NOT NULL,
  id bigint NOT NULL,
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

CREATE TABLE identity (
  row integer NOT NULL,
  id text NOT NULL,
  generation bigint NOT NULL,
  generation_key text NOT NULL,
  place text
);

CREATE TABLE index_blocks (
  session_id bigint NOT NULL,
  block bigint NOT NULL,
  data bytea NOT NULL
);

CREATE TABLE index_changes (
  session_id bigint NOT NULL,
  seq bigint NOT NULL
);

CREATE TABLE layout (
  row integer NOT NULL,
  is_compact integer NOT NULL
);

CREATE TABLE leases (
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  token bigint NOT NULL,
  owner text,
  until bigint
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

CREATE TABLE mirrors (
  namespace text COLLATE "C" NOT NULL,
  folder text NOT NULL
);

CREATE TABLE operations (
  session_id bigint NOT NULL,
  operation_id text NOT NULL,
  result text NOT NULL,
  number bigint
);

CREATE TABLE packs (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  session_id bigint,
  document_id bigint,
  places integer NOT NULL,
  octets integer NOT NULL,
  data bytea NOT NULL
);

CREATE TABLE pins (
  session_id bigint NOT NULL,
  id bigint NOT NULL,
  seq bigint,
  note text,
  tokens bigint NOT NULL,
  created_at bigint NOT NULL
);

CREATE TABLE postings (
  session_id bigint NOT NULL,
  term text COLLATE "C" NOT NULL,
  first_seq bigint NOT NULL,
  data bytea NOT NULL
);

CREATE TABLE requests (
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  answer text,
  until bigint NOT NULL
);

CREATE TABLE revision (
  id bigint NOT NULL,
  value bigint NOT NULL
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
  text text NOT NULL DEFAULT '""'::text,
  withheld bigint NOT NULL DEFAULT 0,
  window_messages text,
  window_through bigint,
  people text
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
  rewrites text,
  layers text,
  layers_epoch bigint NOT NULL DEFAULT '-1'::integer,
  extracted_through bigint NOT NULL DEFAULT 0,
  extract_at bigint,
  extract_not_before bigint,
  indexed_through bigint NOT NULL DEFAULT 0,
  first_epoch bigint NOT NULL DEFAULT 0,
  erased_epoch bigint,
  zone text,
  begins_after bigint NOT NULL DEFAULT 0,
  corrections text,
  rebuild_at bigint
);

CREATE TABLE settings (
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL
);

CREATE TABLE spending (
  session_id bigint NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  window_start bigint NOT NULL,
  calls bigint NOT NULL,
  tokens bigint NOT NULL
);

CREATE TABLE waiting (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  namespace text COLLATE "C" NOT NULL,
  session_id bigint NOT NULL,
  seq bigint NOT NULL,
  burst text NOT NULL,
  address text NOT NULL,
  received_at bigint NOT NULL,
  attempts bigint NOT NULL DEFAULT 0,
  sent text,
  reply text
);

CREATE INDEX aliases_by_session ON aliases USING btree (session_id);

CREATE UNIQUE INDEX aliases_pkey ON aliases USING btree (namespace, name_key);

CREATE UNIQUE INDEX allowances_pkey ON allowances USING btree (session_id, kind);

CREATE UNIQUE INDEX api_keys_by_name ON api_keys USING btree (namespace, name);

CREATE UNIQUE INDEX api_keys_pkey ON api_keys USING btree (id);

CREATE UNIQUE INDEX beginnings_pkey ON beginnings USING btree (session_id, after_seq);

CREATE UNIQUE INDEX document_versions_pkey ON document_versions USING btree (document_id, version);

CREATE UNIQUE INDEX documents_by_key ON documents USING btree (namespace, layer, name_key);

CREATE INDEX documents_by_owner ON documents USING btree (namespace, owner_id) WHERE (owner_id IS NOT NULL);

CREATE INDEX documents_of_day ON documents USING btree (namespace, day) WHERE (day IS NOT NULL);

CREATE INDEX documents_of_session ON documents USING btree (session_id) WHERE (session_id IS NOT NULL);

CREATE UNIQUE INDEX documents_pkey ON documents USING btree (id);

CREATE INDEX documents_to_pack ON documents USING btree (session_id, day) WHERE ((day IS NOT NULL) AND (packed_through = 0));

CREATE INDEX documents_unmirrored ON documents USING btree (namespace) WHERE (mirrored_version <> version);

CREATE UNIQUE INDEX erased_documents_pkey ON erased_documents USING btree (namespace, layer, name_key);

CREATE INDEX erasures_highest ON erasures USING btree (namespace, highest);

CREATE INDEX erasures_open ON erasures USING btree (namespace, id) WHERE (stage <> 'done'::text);

CREATE UNIQUE INDEX erasures_pkey ON erasures USING btree (id);

CREATE UNIQUE INDEX event_consumers_pkey ON event_consumers USING btree (namespace, name);

CREATE UNIQUE INDEX event_trim_pkey ON event_trim USING btree ("row");

CREATE INDEX events_of_document ON events USING btree (document_id) WHERE (document_id IS NOT NULL);

CREATE INDEX events_of_folds ON events USING btree (session_id, id) WHERE (type = ANY (ARRAY[6, 7]));

CREATE UNIQUE INDEX events_pkey ON events USING btree (transaction_id, id);

CREATE INDEX facts_by_line ON facts USING btree (((document_id + 0)), line_key);

CREATE INDEX facts_by_origin ON facts USING btree (session_id, to_seq, from_seq);

CREATE INDEX facts_gone ON facts USING btree (document_id) WHERE (gone > 1);

CREATE UNIQUE INDEX facts_pkey ON facts USING btree (document_id, id);

CREATE INDEX facts_superseded ON facts USING btree (document_id, superseded_by) WHERE (superseded_by IS NOT NULL);

CREATE UNIQUE INDEX fold_history_pkey ON fold_history USING btree (session_id, id);

CREATE UNIQUE INDEX hidden_ranges_pkey ON hidden_ranges USING btree (session_id, from_seq);

CREATE UNIQUE INDEX identity_pkey ON identity USING btree ("row");

CREATE UNIQUE INDEX index_blocks_pkey ON index_blocks USING btree (session_id, block);

CREATE UNIQUE INDEX index_changes_pkey ON index_changes USING btree (session_id, seq);

CREATE UNIQUE INDEX layout_pkey ON layout USING btree ("row");

CREATE INDEX leases_held ON leases USING btree (namespace, name) WHERE (owner IS NOT NULL);

CREATE UNIQUE INDEX leases_pkey ON leases USING btree (namespace, name);

CREATE INDEX memos_by_cursor ON memos USING btree (session_id, through_seq);

CREATE UNIQUE INDEX memos_pkey ON memos USING btree (session_id, version);

CREATE UNIQUE INDEX message_versions_pkey ON message_versions USING btree (session_id, seq, version);

CREATE UNIQUE INDEX messages_by_external_key ON messages USING btree (session_id, external_key) WHERE (external_key IS NOT NULL);

CREATE UNIQUE INDEX messages_pkey ON messages USING btree (session_id, seq);

CREATE UNIQUE INDEX migrations_pkey ON migrations USING btree (version);

CREATE UNIQUE INDEX mirrors_pkey ON mirrors USING btree (namespace);

CREATE INDEX operations_in_order ON operations USING btree (session_id, number) WHERE (number IS NOT NULL);

CREATE UNIQUE INDEX operations_pkey ON operations USING btree (session_id, operation_id);

CREATE INDEX packs_of_document ON packs USING btree (document_id, id) WHERE (document_id IS NOT NULL);

CREATE INDEX packs_of_session ON packs USING btree (session_id, id) WHERE (session_id IS NOT NULL);

CREATE UNIQUE INDEX packs_pkey ON packs USING btree (id);

CREATE UNIQUE INDEX pins_pkey ON pins USING btree (session_id, id);

CREATE UNIQUE INDEX postings_pkey ON postings USING btree (session_id, term, first_seq);

CREATE INDEX requests_by_end ON requests USING btree (until);

CREATE UNIQUE INDEX requests_pkey ON requests USING btree (namespace, name);

CREATE UNIQUE INDEX revision_pkey ON revision USING btree (id);

CREATE INDEX segments_by_end ON segments USING btree (session_id, to_seq, from_seq);

CREATE INDEX segments_outdated ON segments USING btree (session_id, from_seq) WHERE ((state = 'dirty'::text) OR (withheld < 0));

CREATE UNIQUE INDEX segments_pkey ON segments USING btree (session_id, id);

CREATE INDEX segments_rolled_up ON segments USING btree (session_id, rolled_into) WHERE (rolled_into IS NOT NULL);

CREATE INDEX segments_shown ON segments USING btree (session_id, from_seq) WHERE (rolled_into IS NULL);

CREATE INDEX segments_windows ON segments USING btree (session_id, window_through) WHERE (window_through IS NOT NULL);

CREATE INDEX segments_withheld ON segments USING btree (session_id, id) WHERE (withheld > 0);

CREATE UNIQUE INDEX senders_by_key ON senders USING btree (namespace, sender_key);

CREATE UNIQUE INDEX senders_pkey ON senders USING btree (id);

CREATE INDEX sessions_building ON sessions USING btree (id) WHERE (ready = 0);

CREATE UNIQUE INDEX sessions_by_name ON sessions USING btree (namespace, name_key);

CREATE INDEX sessions_due ON sessions USING btree (namespace, due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX sessions_erased ON sessions USING btree (id) WHERE (ready > 1);

CREATE INDEX sessions_forked ON sessions USING btree (namespace) WHERE (origin IS NOT NULL);

CREATE INDEX sessions_of_scope ON sessions USING btree (namespace, substr(scope_id, 1, 200), name_key) WHERE (scope_id IS NOT NULL);

CREATE INDEX sessions_of_user ON sessions USING btree (namespace, substr(user_id, 1, 200), name_key) WHERE (user_id IS NOT NULL);

CREATE INDEX sessions_pending ON sessions USING btree (namespace, name_key) WHERE (pending IS NOT NULL);

CREATE UNIQUE INDEX sessions_pkey ON sessions USING btree (id);

CREATE INDEX sessions_to_extract ON sessions USING btree (namespace, extract_at) WHERE (extract_at IS NOT NULL);

CREATE INDEX sessions_to_rebuild ON sessions USING btree (namespace, rebuild_at) WHERE (rebuild_at IS NOT NULL);

CREATE UNIQUE INDEX settings_pkey ON settings USING btree (namespace, name);

CREATE INDEX spending_by_window ON spending USING btree (window_start);

CREATE UNIQUE INDEX spending_pkey ON spending USING btree (session_id, namespace, model, window_start);

CREATE UNIQUE INDEX waiting_by_message ON waiting USING btree (session_id, seq);

CREATE INDEX waiting_in_order ON waiting USING btree (namespace, id);

CREATE UNIQUE INDEX waiting_pkey ON waiting USING btree (id);
