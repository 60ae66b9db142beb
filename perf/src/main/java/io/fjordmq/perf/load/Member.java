package io.fjordmq.perf.load;

import io.fjordmq.perf.LoadClient;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** What a client of the load does with what comes: it publishes, subscribes, both or neither. */
final class Member implements LoadClient.Receiver {
  private final Fleet fleet;
  private @Nullable Publisher publisher;
  private @Nullable Subscriber subscriber;

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
  public void onLost(String reason) {
    fleet.lost(reason);
  }
}
