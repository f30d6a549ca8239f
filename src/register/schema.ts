/** What must not be forgotten, as tables: the requests that may have rung phones, whom nobody calls any more, and the plans. */
import { type Schema, timeIn } from '../storage/database/sql.ts';

const MS = 'in milliseconds since the epoch';

export const SCHEMA: Schema = {
  tables: {
    requests: {
      about: 'Requests to real services that ring phones: a row before each is sent, completed when it has ended.',
      columns: {
        entry: ['bigint not null', 'Counts up from 1.'],
        operation: ['text not null', 'trigger-call or create-campaign.'],
        sent_at: ['bigint not null', `By the clock of the machine that sent it, ${MS}.`],
        sent_by: ['text not null', 'user@host.'],
        service: ['text not null', 'Its base URL.'],
        service_key: ['text not null', 'The same for every spelling of the base URL.'],
        organization_id: ['bigint not null', 'For which it was sent.'],
        request: ['text not null', 'JSON: as sent, without the credentials and the contacts.'],
        campaign_name: ['text', 'Of a campaign.'],
        campaign_id: ['bigint', 'By which the service calls it; empty until it has said so.'],
        phone: ['bigint', 'Of a call: the digits of the number, of old spellings those of today.'],
        contacts: ['bigint not null', 'How many there are; 1 for a call.'],
        numbers_sha256: ['text not null', 'Of the numbers of a campaign, in hex, whatever their order.'],
        columns: ['text', 'JSON: those of the file of the contacts, where its rows are kept.'],
        file: ['text', 'The file of the contacts, as it was named.'],
        file_sha256: ['text', 'Of its bytes, in hex.'],
        plan_id: ['bigint', 'The plan of which this is a wave.'],
        wave: ['bigint', 'Its number in the plan.'],
        plan_created_at: ['bigint', `When that plan was made, ${MS}.`],
        forgotten_at: ['bigint', `When what it said of people was removed, ${MS}.`],
        forgotten_elsewhere: ['bigint', '1 where that was done before it came here.'],
        outcome: [
          'text',
          'accepted, refused, not_sent or unknown; empty while it is under way, or if the program was killed.',
        ],
        reply: ['text', 'JSON: what the service said, or what failed.'],
        ended_at: ['bigint', `By the clock of the machine that sent it, ${MS}.`],
        clock_ahead: ['bigint', "Milliseconds by which the service's clock was ahead of the machine's."],
        summary: ['text', 'JSON: what came of a campaign that is over. Counts alone.'],
      },
      keys: ['primary key (entry)'],
      indexes: [
        '(sent_at, entry)',
        "(service_key, entry) where operation = 'create-campaign'",
        '(service_key, phone, entry) where phone is not null',
      ],
    },
    request_contacts: {
      about: 'Whom each campaign calls, as it was sent. Refused ones have none.',
      columns: {
        entry: ['bigint not null', 'The campaign.'],
        position: ['bigint not null', 'From 0, in the order in which they were sent.'],
        phone: ['bigint not null', 'The digits of the number, of old spellings those of today.'],
        number: ['text not null', 'E.164, as it was sent.'],
        first_line: ['text', 'Of this contact.'],
        instruction: ['text', 'Of this contact.'],
        identifiers: ['text', 'Of this contact.'],
        cells: ['text', 'JSON: its row in the file.'],
      },
      keys: ['primary key (entry, position)', 'foreign key (entry) references requests'],
      indexes: ['(phone, entry)'],
    },
    opted_out: {
      about: 'Whom nothing calls any more.',
      columns: {
        service_key: ['text not null', 'The service to which it was said, or the store of the simulator.'],
        phone: ['bigint not null', 'The digits of the number, of old spellings those of today.'],
        organization_id: ['bigint not null', 'To which it was said first.'],
        since: ['bigint not null', `When it came to be known here, ${MS}; 0 if an earlier version knew it.`],
      },
      keys: ['primary key (service_key, phone)'],
    },
    once_keys: {
      about: 'Keys of calls that are placed once, however often they are asked for.',
      since: 2,
      columns: {
        service_key: ['text not null', 'Of the service, or the store of the simulator.'],
        once_key: ['text not null', 'The key.'],
        organization_id: ['bigint not null', 'For which the call is.'],
        request_sha256: ['text not null', 'Of what the call is, in hex; empty when it was forgotten.'],
        entry: ['bigint', 'The request; empty for the simulator.'],
        began_at: ['bigint not null', `By the clock of the machine that sent it, ${MS}.`],
        outcome: ['text', 'As of the request; empty while it is under way, or if the program was killed.'],
        reply: ['text', 'JSON: what the service said, if it has accepted the call.'],
      },
      keys: ['primary key (service_key, once_key)'],
    },
    redials: {
      about: 'Lists of people to call again, made from results: the guards let each pass once.',
      columns: {
        redial: ['bigint not null', 'Counts up from 1.'],
        made_at: ['bigint not null', `When what was sent was read, ${MS}.`],
        service_key: ['text not null', 'Of the service.'],
        organization_id: ['bigint not null', 'Of the campaigns.'],
        last_entry: ['bigint not null', 'The last request then.'],
        campaigns: ['text not null', 'JSON: the campaigns that the people are from.'],
      },
      keys: ['primary key (redial)'],
    },
    redial_phones: {
      about: 'Whom such a list holds.',
      columns: {
        redial: ['bigint not null', 'The list.'],
        phone: ['bigint not null', 'The digits of the number, of old spellings those of today.'],
      },
      keys: ['primary key (redial, phone)', 'foreign key (redial) references redials on delete cascade'],
    },
    plans: {
      about: 'Plans: contacts with rules, sent in waves. Of a forgotten one the number is left.',
      columns: {
        plan_id: ['bigint not null', 'Counts up from 1.'],
        plan_name: ['text not null', 'As it was given.'],
        service: ['text not null', 'The base URL, or the store of the simulator.'],
        organization_id: ['bigint not null', 'For which it calls.'],
        created_at: ['bigint not null', `By the service's clock, ${MS}.`],
        plan: ['text not null', 'JSON: what it is; never changed.'],
        state: ['text not null', 'open, waiting, stopped, done, cancelled, or forgotten.'],
        position: ['text not null', 'JSON: where it stands, without its contacts.'],
        counts: ['text not null', 'JSON: contacts by state.'],
        version: ['bigint not null', 'How many events it has.'],
        log_position: ['text', 'JSON: how far the call log was read.'],
        stop_wish: ['text', 'JSON: somebody wants it to stop.'],
        halt_said: ['text', 'JSON: when it was last said why it calls nobody.'],
        ran_at: ['bigint', `When plan run was last there, by the clock of its machine, ${MS}.`],
      },
      keys: ['primary key (plan_id)'],
    },
    plan_people: {
      about: 'The contacts of plans, as they will be sent; never changed.',
      columns: {
        plan_id: ['bigint not null', 'The plan.'],
        row: ['bigint not null', 'From 0, in the order of the file.'],
        phone: ['bigint not null', 'The digits of the number, of old spellings those of today.'],
        place: ['bigint not null', 'The index of its place in the plan.'],
        number: ['text not null', 'E.164, as it will be sent.'],
        first_line: ['text', 'Of this contact.'],
        instruction: ['text', 'Of this contact.'],
        identifiers: ['text', 'Of this contact.'],
        cells: ['text', 'JSON: its row in the file.'],
      },
      keys: ['primary key (plan_id, row)', 'foreign key (plan_id) references plans'],
    },
    plan_states: {
      about: 'What became of the contacts of plans so far; those who were never touched have no row.',
      columns: {
        plan_id: ['bigint not null', 'The plan.'],
        row: ['bigint not null', 'The contact.'],
        state: ['bigint not null', '0 new, 1 handed, 2 again, 3 reached, 4 exhausted, 5 unseen, 6 excluded, 7 left.'],
        attempts: ['bigint not null', 'Waves in which it was sent.'],
        wave: ['bigint not null', 'The last of them; 0 if none.'],
        recalled: [
          'bigint not null',
          'Attempts that were recalled and not seen since; 128 more if the last one is among them.',
        ],
        marks: [
          'bigint not null',
          'Two bits for each of the latest dials, and bits for a contact that was recalled or is unclear.',
        ],
        due: ['bigint not null', `When it may be called again, ${MS}; 2^53 - 1 where it never is.`],
        dials: ['text not null', `JSON: the latest dials of its phone by anybody, the latest first, ${MS}.`],
      },
      keys: ['primary key (plan_id, row)', 'foreign key (plan_id) references plans'],
    },
    plan_told: {
      about: 'What plans remember of the latest entries of the call log, in case they change.',
      columns: {
        plan_id: ['bigint not null', 'The plan.'],
        told: ['text not null', 'JSON: whose they were found to be.'],
      },
      keys: ['primary key (plan_id)', 'foreign key (plan_id) references plans'],
    },
    plan_events: {
      about: 'What happened to plans, in order; nothing is ever changed in it.',
      columns: {
        plan_id: ['bigint not null', 'The plan.'],
        number: ['bigint not null', 'From 0.'],
        happened_at: ['double precision not null', `By the service's clock, ${MS}.`],
        event: ['text not null', 'What it is, such as handed, called or stopped.'],
        row: ['bigint', 'The contact, of an event of one.'],
        wave: ['bigint', 'The wave, of an event of one.'],
        data: ['text not null', 'JSON: the whole event.'],
      },
      keys: ['primary key (plan_id, number)', 'foreign key (plan_id) references plans'],
      indexes: ['(plan_id, row, number) where row is not null', '(plan_id, number) where row is null'],
    },
  },
  views: {
    request_log: {
      about: 'Every request, with times.',
      select: (
        dialect,
      ) => `select entry, operation, ${timeIn(dialect, 'sent_at')} as sent_at, sent_by, service, organization_id,
  campaign_name, campaign_id, contacts, file, plan_id, wave, outcome, ${timeIn(dialect, 'ended_at')} as ended_at,
  ${timeIn(dialect, 'forgotten_at')} as forgotten_at
  from requests`,
    },
    plan_contacts: {
      about: 'Every contact of every plan, with its state and times.',
      select: (dialect) => `select p.plan_id, p.row, p.number, p.identifiers,
  case coalesce(s.state, 0) when 0 then 'new' when 1 then 'handed' when 2 then 'again' when 3 then 'reached'
    when 4 then 'exhausted' when 5 then 'unseen' when 6 then 'excluded' else 'left' end as state,
  coalesce(s.attempts, 0) as attempts, s.wave,
  case when s.due > 0 and s.due < 1e15 then ${timeIn(dialect, 's.due')} end as due
  from plan_people p left join plan_states s on s.plan_id = p.plan_id and s.row = p.row`,
    },
  },
};
