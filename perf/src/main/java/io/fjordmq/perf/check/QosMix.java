package io.fjordmq.perf.check;

/**
 * Determines which messages of a publisher have a QoS above 0: every n-th message; the others have
 * QoS 0. MQTT guarantees order only among messages with the same QoS [MQTT-4.6.0-6].
 *
 * @param acknowledgedEvery every n-th message is acknowledged; 0 for none, 1 for all
 */
public record QosMix(int acknowledgedEvery) {
  /** All messages are acknowledged. */
  public static final QosMix ALL = new QosMix(1);

  /** Returns whether the broker acknowledges message n, counted from 0. */
  public boolean isAcknowledged(int number) {
    return acknowledgedEvery > 0 && number % acknowledgedEvery == acknowledgedEvery - 1;
  }

  /** Returns whether some messages have QoS 0 and others do not. */
  boolean isMixed() {
    return acknowledgedEvery > 1;
  }

  /**
   * Returns the key of the message's publisher and QoS class. Order is checked separately for each
   * key.
   */
  int key(int publisher, int number) {
    return 2 * publisher + (isAcknowledged(number) ? 1 : 0);
  }
}
