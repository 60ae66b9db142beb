package io.fjordmq.broker.rest;

/** The credentials of a request, from its Authorization header. */
public sealed interface Credentials {
  /** An API key and its secret, or the name and password of a user. */
  record Basic(String name, String secret) implements Credentials {
    @Override
    public String toString() {
      return "Basic[" + name + "]"; // the secret must not get into a log
    }
  }

  /** A token: of a login, or of the control directory of this node. */
  record Bearer(String token) implements Credentials {
    @Override
    public String toString() {
      return "Bearer";
    }
  }
}
