package io.fjordmq.range.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.sim.AppendingCoprocessor;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;

/**
 * A process made to be killed: appends numbers to keys and prints each when it was acknowledged,
 * and splits its ranges all the while.
 */
final class SplittingProcess {
  static final int KEYS = 100;
  private static final int IN_FLIGHT = 64;
  private static final int SPLIT_EVERY = 60;

  private SplittingProcess() {}

  static StoreSpec spec() {
    return new StoreSpec(
        "words", List.of(), id -> new AppendingCoprocessor(), (range, effects) -> {});
  }

  static String key(long number) {
    return "k%02d".formatted(number * 7919 % KEYS);
  }

  /**
   * @param args directory, first number, first number for a new range
   */
  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, false, UTF_8);
    RealNode node = new RealNode(Path.of(args[0]), spec());
    Random random = new Random();
    Semaphore places = new Semaphore(IN_FLIGHT);
    long nextRange = Long.parseLong(args[2]);
    for (long next = Long.parseLong(args[1]); ; next++) {
      places.acquire();
      long number = next;
      node.client
          .mutate(key(number).getBytes(UTF_8), (key(number) + ":" + number).getBytes(UTF_8))
          .whenComplete(
              (answer, failure) -> {
                if (failure == null) {
                  out.println(number);
                  out.flush();
                }
                places.release();
              });
      if (number % SPLIT_EVERY == 0) {
        byte[] key = "k%02d".formatted(random.nextInt(KEYS)).getBytes(UTF_8);
        for (RangeDescriptor range : node.store.descriptors("words")) {
          if (range.interval().contains(key)) {
            node.store.split(range.id(), range.epoch().version(), key, nextRange++);
          }
        }
      }
    }
  }
}
