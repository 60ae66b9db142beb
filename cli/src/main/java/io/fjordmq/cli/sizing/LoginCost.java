package io.fjordmq.cli.sizing;

/** CPU of a node for a login, beyond that of a connection without users, in µs. */
public enum LoginCost {
  NONE(0),
  SCRAM(50),
  JWT(72),
  REDIS(113),
  MYSQL(161),
  HTTP(170),
  LDAP(247),
  POSTGRESQL(305),
  DATABASE(34_300),
  FILES(34_300);

  private final double micros;

  LoginCost(double micros) {
    this.micros = micros;
  }

  double micros() {
    return micros;
  }
}
