package io.fjordmq.perf.load;

import io.fjordmq.perf.LoadClient;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** What a client of the load does with what comes: it publishes, subscribes, both or neither. */
final class Member implements LoadClient.Receiver {
  private final Fleet fleet;
  private @Nullable Publisher publisher;
  private @Nullable Subscriber subscriber;

  /** Only who is in can be lost: whoever comes and gets no further is counted where it came. */
  private boolean in;

  /** Why its connection has ended, should that have been before somebody knew that it is in. */
  private @Nullable String ended;

  Member(Fleet fleet) {
    this.fleet = fleet;
  }

  void publishes(Publisher role) {
    publisher = role;
  }

  void subscribes(Subscriber role) {
    subscriber = role;
  }

  @Nullable Publisher publisher() {
    return publisher;
  }

  @Nullable Subscriber subscriber() {
    return subscriber;
  }

  /** It has come, or come back. Any thread. */
  synchronized void enter() {
    in = true;
    if (ended != null) {
      fleet.presence().lose(ended);
    }
  }

  /** It goes, and may come back. Any thread. */
  synchronized void leave() {
    in = false;
    ended = null;
  }

  @Override
  public void onPublish(ByteBuf payload) {
    Subscriber role = subscriber;
    if (role == null) {
      throw new IllegalStateException("a client that subscribed to nothing got a message");
    }
    role.onPublish(payload);
  }

  @Override
  public void onPuback(int packetIdentifier) {
    Publisher role = publisher;
    if (role == null) {
      throw new IllegalStateException("a client that published nothing got a PUBACK");
    }
    role.onPuback(fleet.timetable(), packetIdentifier);
  }

  @Override
  public synchronized void onLost(String reason) {
    if (in) {
      fleet.presence().lose(reason);
    } else {
      ended = reason;
    }
  }
}
