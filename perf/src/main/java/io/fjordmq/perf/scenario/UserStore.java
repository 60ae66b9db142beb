package io.fjordmq.perf.scenario;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Where the broker finds the users of a scenario's clients, and their permissions. */
public enum UserStore {
  /** Nowhere: clients are anonymous. */
  NONE,
  /** In a password file and an ACL file. */
  FILES,
  /** In Redis, with the keys of EMQX 4. */
  REDIS,
  /** Behind an HTTP service with the contract of EMQX 5. */
  HTTP,
  /** In a token that each client sends as its password. */
  JWT,
  /** In PostgreSQL, with the tables of EMQX. */
  POSTGRESQL,
  /** In MariaDB, with the tables of EMQX. */
  MYSQL,
  /** In a directory of slapd, with the schema of EMQX. */
  LDAP,
  /** In the database of the cluster. */
  DATABASE,
  /** In the database of the cluster; clients log in with SCRAM-SHA-256. */
  SCRAM;

  /** Returns the stores with users. */
  public static List<UserStore> withUsers() {
    return Arrays.stream(values()).filter(store -> store != NONE).toList();
  }

  /** Returns whether nodes can cache results for users; they verify each proof anew. */
  public boolean isCacheable() {
    return this != NONE && this != JWT && this != SCRAM;
  }

  /** Returns whether nodes store the users themselves, which takes a slow hash for each user. */
  public boolean isInCluster() {
    return this == DATABASE || this == SCRAM;
  }

  /** Returns the name on the command line and in scenario files. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
