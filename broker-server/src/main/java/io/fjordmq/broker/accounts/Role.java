package io.fjordmq.broker.accounts;

/** The permissions of an API caller. Each role includes the roles before it. */
public enum Role {
  /** Reads everything except accounts and audit records. */
  VIEWER,
  /** Also acts on clients, messages, bans, nodes and ranges. */
  OPERATOR,
  /**
   * Also changes users, API keys and settings of the cluster, removes nodes, and reads audit
   * records.
   */
  ADMINISTRATOR;

  /** Returns whether this role includes the other one. */
  public boolean includes(Role required) {
    return compareTo(required) >= 0;
  }
}
