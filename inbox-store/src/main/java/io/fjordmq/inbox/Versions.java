package io.fjordmq.inbox;

import io.fjordmq.api.MalformedBytesException;

/** Checks the version byte that every stored row and every command begins with. */
final class Versions {
  private Versions() {}

  static void require(int found, int known, String what) {
    if (found != known) {
      throw new MalformedBytesException(
          what + " of version " + found + "; this node reads version " + known);
    }
  }
}
