/**
 * Two roles for people who share what is kept in a database: one may do everything, one may look. Whoever makes the tables makes
 * them if that user may make roles, and nothing is said otherwise: the help has the statements. They belong to the whole server
 * and outlive the schema, so they carry the names of the database and the schema, with a point between, which no schema has:
 * nobody gets rights here by a role of another database.
 */
export const ROLES = `
do $$
declare
  own text := current_schema();
  writer text := current_database() || '.' || own || '_writer';
  reader text := current_database() || '.' || own || '_reader';
  role text;
begin
  -- Longer names would be cut, perhaps to the same.
  if greatest(octet_length(writer), octet_length(reader)) > 63 then return; end if;
  foreach role in array array[writer, reader] loop
    if not exists (select 1 from pg_catalog.pg_roles where rolname = role) then execute format('create role %I
    nologin', role); end if;
  end loop;
  execute format('grant usage on schema %I to %I, %I', own, writer, reader);
  execute format('grant select, insert, update, delete on all tables in schema %I to %I', own, writer);
  execute format('grant select on all tables in schema %I to %I', own, reader);
  -- What a later vagent adds.
  execute format('alter default privileges in schema %I grant select, insert, update, delete on tables to %I', own, writer);
  execute format('alter default privileges in schema %I grant select on tables to %I', own, reader);
exception when insufficient_privilege then null;
end $$;
`;
