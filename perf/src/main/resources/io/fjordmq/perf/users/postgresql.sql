CREATE EXTENSION pg_stat_statements;
CREATE TABLE mqtt_user (
  id serial PRIMARY KEY,
  username text NOT NULL UNIQUE,
  password_hash text NOT NULL,
  salt text NOT NULL,
  is_superuser boolean DEFAULT false,
  created timestamp with time zone DEFAULT now());
CREATE TABLE mqtt_acl (
  id serial PRIMARY KEY,
  username text NOT NULL,
  permission text NOT NULL,
  action text NOT NULL,
  topic text NOT NULL,
  qos smallint,
  retain smallint);
CREATE INDEX mqtt_acl_username_idx ON mqtt_acl(username);
CREATE USER fjordmq PASSWORD 'fjordmq';
GRANT SELECT ON mqtt_user, mqtt_acl TO fjordmq;
