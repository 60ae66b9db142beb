package io.fjordmq.inbox;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageCodec;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A message that is inserted into several inboxes. It is decoded lazily and at most once: only on
 * the leader, and only if one of the inboxes is attached. Not thread-safe.
 */
final class SharedMessage {
  private final byte[] bytes;
  private @Nullable Message message;

  SharedMessage(byte[] bytes) {
    this.bytes = bytes;
  }

  Message get() {
    if (message == null) {
      message = MessageCodec.decode(ByteBuffer.wrap(bytes));
    }
    return message;
  }
}
