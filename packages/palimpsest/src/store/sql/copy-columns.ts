/**
 * The columns of each table that are copied from one store to another, in the order in which they are read,
 * written and hashed.
 */

export const MESSAGE_COPIED = [
  ...[
    'seq',
    'role',
    'content',
    'format',
    'at',
    'lag',
    'external_key',
    'extras',
    'version',
    'characters',
    'tokens',
  ],
  ...[
    'flags',
    'position',
    'total_messages',
    'total_turns',
    'total_replies',
    'total_characters',
    'total_tokens',
  ],
] as const
export const VERSION_COPIED = ['seq', 'version', 'content', 'format', 'replaced_at'] as const
export const SEGMENT_COPIED = [
  ...['id', 'from_seq', 'to_seq', 'message_count', 'summary', 'events', 'details', 'text', 'level', 'state'],
  ...['rolled_into', 'type', 'reason', 'summarizer', 'prompt_version', 'tokens_before', 'tokens_after'],
  ...['created_at', 'withheld', 'window_messages', 'window_through', 'people'],
] as const
export const MEMO_COPIED = ['version', 'through_seq', 'memo'] as const
export const HIDDEN_COPIED = ['from_seq', 'to_seq'] as const
export const BEGINNING_COPIED = ['after_seq', 'folded_through', 'at'] as const
export const PIN_COPIED = ['id', 'seq', 'note', 'tokens', 'created_at'] as const
export const WAITING_COPIED = [
  ...['seq', 'burst', 'address', 'received_at', 'attempts', 'sent', 'reply'],
] as const
export const ALIAS_COPIED = ['name_key'] as const
export const ALLOWANCE_COPIED = ['kind', 'instants'] as const
export const OPERATION_COPIED = ['operation_id', 'result', 'number'] as const

/** Columns of the session's own row. The epoch is copied too, counted from the first one. */
export const SESSION_COPIED = [
  ...[
    'kind',
    'user_id',
    'scope_id',
    'origin',
    'settings',
    'zone',
    'created_at',
    'compacted_through',
    'folded_messages',
  ],
  ...[
    'folded_turns',
    'folded_characters',
    'folded_tokens',
    'decided_messages',
    'decided_replies',
    'decided_at',
  ],
  ...['last_fold_at', 'segment_tokens', 'overhead_tokens', 'hidden_through', 'visible_before'],
  ...['begins_after', 'extracted_through'],
] as const
/** Columns of the same row that only say when and how the session is next judged. */
export const SCHEDULE_COPIED = [
  ...['stalled', 'backoff_until', 'failures', 'last_outcome', 'pending', 'due_at', 'calibrations'],
  ...['epoch_calibrations', 'rewrites', 'layers', 'layers_epoch', 'extract_at', 'extract_not_before'],
  ...['corrections', 'rebuild_at'],
  ...['lease_token', 'first_epoch'],
] as const

export const DOCUMENT_COPIED = [
  'layer',
  'name',
  'day',
  'tokens',
  'created_at',
  'updated_at',
  'content',
  'owner_id',
] as const
export const DOCUMENT_VERSION_COPIED = ['at', 'author_kind', 'author_name', 'sources', 'back'] as const
export const FACT_COPIED = [
  ...['id', 'line', 'subject', 'from_seq', 'to_seq', 'said_at', 'on_day', 'source', 'superseded_at'],
  ...['gone'],
] as const

/** The operation id under which a copy keeps its origin, in its session. */
export const COPY_OPERATION = '\u0001copy'
