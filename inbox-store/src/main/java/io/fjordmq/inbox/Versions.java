package io.fjordmq.inbox;

import io.fjordmq.api.NewerFormException;

/** Checks the version byte that every stored row and every command begins with. */
final class Versions {
  private Versions() {}

  static void require(int found, int known, String what) {
    NewerFormException.require(what, known, found);
  }
}
