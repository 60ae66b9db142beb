package io.fjordmq.auth.sql;

/** Users and rules in MariaDB or MySQL. */
public final class MysqlType extends SqlType {
  /** Called by {@link java.util.ServiceLoader}. */
  public MysqlType() {
    super(new MariadbDriver());
  }

  @Override
  public String name() {
    return "mysql";
  }
}
