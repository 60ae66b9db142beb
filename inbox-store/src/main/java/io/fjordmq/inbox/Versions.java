package io.fjordmq.inbox;

import io.fjordmq.api.NewerFormatException;

/** Checks the version byte at the start of every stored row and every command. */
final class Versions {
  private Versions() {}

  static void require(int found, int known, String what) {
    NewerFormatException.require(what, known, found);
  }
}
