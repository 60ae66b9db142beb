package io.fjordmq.auth.sql;

/** Users and rules in PostgreSQL. */
public final class PostgresqlType extends SqlType {
  /** Called by {@link java.util.ServiceLoader}. */
  public PostgresqlType() {
    super(new PostgresqlDriver());
  }

  @Override
  public String name() {
    return "postgresql";
  }
}
