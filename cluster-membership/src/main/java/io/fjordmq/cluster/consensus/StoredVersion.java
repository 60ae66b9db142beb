package io.fjordmq.cluster.consensus;

import io.fjordmq.api.MalformedBytesException;

/** Refuses stored bytes that a newer FjordMQ wrote, or that are none of ours. */
final class StoredVersion {
  private StoredVersion() {}

  static void require(String what, int known, int found) {
    if (known != found) {
      throw new MalformedBytesException(
          what + " has version " + found + ", this release reads version " + known);
    }
  }
}
