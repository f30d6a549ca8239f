import { LAST_COMMITS } from '../../storage/database/last-commits.ts';

/**
 * The tables of a store over PostgreSQL, as migrations in their order: each is carried out once, all that are missing in one
 * transaction. They are plain: an analyst reads calls, campaigns and wallets with SQL. What an older vagent made is a fixture of the tests.
 *
 * Tables with a row for each contact or call have no references: each row would be looked up at each insert. `check` looks at all.
 *
 * A call's number counts up in its organization without a gap, and so does its number among the calls of its agent: a page at any
 * offset is found by arithmetic, whatever the filter.
 */
import { ROLES } from '../../storage/database/roles.ts';

export const MIGRATIONS: readonly string[] = [
  `
create table engine (
  one boolean primary key default true check (one),
  next_organization_id bigint not null,
  next_agent_id bigint not null,
  next_campaign_id bigint not null
);

create table organizations (
  organization_id bigint primary key,
  api_key text not null,
  -- Millionths.
  balance bigint not null,
  numbers text[] not null,
  demo_agent_id bigint not null,
  seed bigint not null,
  -- Milliseconds that were added to the system's clock.
  clock_offset bigint not null,
  -- The latest instant that was reached, in milliseconds since 1970.
  clock_last bigint not null,
  next_call_number bigint not null,
  -- How many calls had been placed when it was last reset.
  calls_before_reset bigint not null,
  next_campaign_number bigint not null,
  scenario jsonb not null,
  -- When something falls due, in milliseconds since 1970 by the system's clock; null if nothing does.
  due_at bigint,
  -- Another one after every commit: what was read before is known by it to be the newest still.
  commit_id text not null
);

create index on organizations (due_at) where due_at is not null;

create table agents (
  organization_id bigint not null references organizations,
  agent_id bigint primary key,
  agent_name text not null,
  agent_description text not null,
  base_prompt text not null,
  voice_id bigint not null,
  language text not null,
  greeting text not null,
  conversation_goal text not null,
  status text not null,
  created_at text not null,
  updated_at text not null,
  -- How many calls of it are in the log.
  calls bigint not null default 0
);
create index on agents (organization_id);

create table campaigns (
  organization_id bigint not null references organizations,
  campaign_id bigint primary key,
  -- Counted in its organization since the last reset: random draws use it.
  campaign_number bigint not null,
  campaign_name text not null,
  agent_id bigint not null,
  call_from text not null,
  status text not null,
  reason text,
  total_contacts bigint not null,
  start_time bigint not null,
  calls_per_hour bigint not null,
  retry_attempts bigint not null,
  retry_delay bigint not null,
  pace_anchor bigint not null,
  pace_dials bigint not null,
  next_contact bigint not null,
  retries_waiting bigint not null,
  retry_due bigint,
  attempts bigint not null,
  reached bigint not null,
  exhausted bigint not null,
  -- Retries are kept in the order in which they fall due: so many were added, and so many taken.
  retries_added bigint not null default 0,
  retries_taken bigint not null default 0
);
create index on campaigns (organization_id);

create table contacts (
  campaign_id bigint not null,
  -- Its place in the campaign, from 0.
  contact bigint not null,
  phone_number text not null,
  custom_first_line text,
  custom_instruction text,
  custom_identifiers text,
  primary key (campaign_id, contact)
);

create table retries (
  campaign_id bigint not null,
  -- From 0, in the order in which they fall due.
  number bigint not null,
  contact bigint not null,
  attempt bigint not null,
  due bigint not null,
  primary key (campaign_id, number)
);

create table original_rows (
  campaign_id bigint not null references campaigns on delete cascade,
  -- The columns stand at -1, then the rows of the contacts from 0.
  contact bigint not null,
  cells text[] not null,
  primary key (campaign_id, contact)
);

create table calls (
  organization_id bigint not null,
  call_number bigint not null,
  agent_id bigint not null,
  -- The number of the call among those of its agent, from 1.
  agent_call bigint not null,
  at timestamptz(3) not null,
  called_to text not null,
  call_from text not null,
  call_duration integer not null,
  call_status text not null,
  call_outcome text not null,
  transcript text not null,
  recording_url text,
  -- Null for a single call.
  campaign_id bigint,
  contact bigint,
  attempt bigint,
  primary key (organization_id, call_number),
  unique (organization_id, agent_id, agent_call),
  unique (campaign_id, contact, attempt)
);
create index on calls (organization_id, at, call_number);
create index on calls (organization_id, agent_id, at, agent_call);
`,
  // Every movement of a wallet, so that what it holds is their sum. Of the calls until then, only the price of now is known; what else
  // had moved by then is in the opening.
  `
-- Millionths. Who does not know the column cannot write calls beside those who do.
alter table calls add column charge bigint;
update calls c
  set charge = case call_status when 'completed' then ceil(call_duration / 60.0) * (o.scenario->>'price_per_minute')::bigint else 0 end
  from organizations o where o.organization_id = c.organization_id;
alter table calls alter column charge set not null;

create table wallet_changes (
  change_id bigint generated always as identity primary key,
  organization_id bigint not null,
  at timestamptz(3) not null,
  -- 'opening': what it began with; 'top_up'; or 'correction', where something was taken that no call cost.
  kind text not null,
  -- Millionths.
  amount bigint not null
);
create index on wallet_changes (organization_id);
insert into wallet_changes (organization_id, at, kind, amount)
  select organization_id, coalesce(min(c.at), to_timestamp(clock_last / 1000.0)), 'opening', balance + coalesce(sum(c.charge), 0)
    from organizations left join calls c using (organization_id) group by organization_id;

create view wallet_movements as
  select organization_id, at, kind, amount, null::bigint as call_number from wallet_changes
  union all
  select organization_id, at, 'charge', -charge, call_number from calls where charge > 0;
`,
  ROLES,
  LAST_COMMITS,
  // Of campaigns whose calls came from another store, it is not known which calls are theirs.
  `
-- Of those who were reached, how many a machine answered; null where nobody counted them.
alter table campaigns add column voicemail bigint;
update campaigns p set voicemail = c.voicemails
  from (select campaign_id, count(*) as calls, count(*) filter (where call_outcome = 'voicemail_left') as voicemails
          from calls where campaign_id is not null group by campaign_id) c
  where c.campaign_id = p.campaign_id and c.calls = p.attempts;
update campaigns set voicemail = 0 where attempts = 0;
`,
];

/** What the last of them has made. */
export const NEWEST = { table: 'campaigns', column: 'voicemail' };
