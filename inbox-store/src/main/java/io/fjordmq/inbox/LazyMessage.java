package io.fjordmq.inbox;

import io.fjordmq.api.Message;
import io.fjordmq.common.MessageCodec;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A message that is inserted into several inboxes. It is decoded lazily and at most once: only on
 * the leader, and only if one of the inboxes is attached. Not thread-safe.
 */
final class LazyMessage {
  private final ByteBuffer bytes;
  private @Nullable Message message;

  /**
   * @param bytes the encoded message, valid while the effects of its command are performed
   */
  LazyMessage(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  Message get() {
    if (message == null) {
      message = MessageCodec.decode(bytes.duplicate());
    }
    return message;
  }
}
