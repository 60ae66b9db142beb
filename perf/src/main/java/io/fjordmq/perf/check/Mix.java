package io.fjordmq.perf.check;

/**
 * Which of a publisher's messages have a QoS above 0: evenly every so many; the others are QoS 0.
 * MQTT promises order among messages of one QoS only [MQTT-4.6.0-6].
 *
 * @param answeredEvery one of so many is answered by the broker; 0 for none, 1 for all
 */
public record Mix(int answeredEvery) {
  /** All of them. */
  public static final Mix ALL = new Mix(1);

  /** Whether the broker answers for message n, counted from 0. */
  public boolean hasAnswer(int number) {
    return answeredEvery > 0 && number % answeredEvery == answeredEvery - 1;
  }

  /** Whether there are two kinds. */
  boolean isMixed() {
    return answeredEvery > 1;
  }

  /** Of two keys, one for each kind, the one of this message. */
  int key(int of, int number) {
    return 2 * of + (hasAnswer(number) ? 1 : 0);
  }
}
