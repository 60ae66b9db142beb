package io.fjordmq.broker.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * The corpus of a target: one input per line, in hexadecimal digits, shortest first. The fuzzer
 * needs each in a file of its own.
 */
public final class KeptInputs {
  private static final HexFormat HEX = HexFormat.of();

  private KeptInputs() {}

  static List<byte[]> read(Path file) throws IOException {
    return Files.readAllLines(file).stream().map(HEX::parseHex).toList();
  }

  /** {@code unpack FILE FOLDER} or {@code pack FOLDER FILE}. */
  public static void main(String[] args) throws IOException {
    Path from = Path.of(args[1]);
    Path to = Path.of(args[2]);
    switch (args[0]) {
      case "unpack" -> unpack(from, to);
      case "pack" -> pack(from, to);
      default -> throw new IllegalArgumentException("must be unpack or pack: " + args[0]);
    }
  }

  private static void unpack(Path file, Path folder) throws IOException {
    int number = 0;
    for (byte[] input : read(file)) {
      Files.write(folder.resolve("kept-" + number++), input);
    }
  }

  private static void pack(Path folder, Path file) throws IOException {
    List<Path> files;
    try (Stream<Path> found = Files.list(folder)) {
      files = found.toList();
    }
    List<String> lines = new ArrayList<>();
    for (Path input : files) {
      lines.add(HEX.formatHex(Files.readAllBytes(input)));
    }
    lines.sort(Comparator.comparing(String::length).thenComparing(Comparator.naturalOrder()));
    Files.write(file, lines.stream().distinct().toList());
  }
}
