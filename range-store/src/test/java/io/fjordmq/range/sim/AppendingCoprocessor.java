package io.fjordmq.range.sim;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The simplest store that reveals errors of the engine. The command {@code key,key:word} appends
 * the word to the values of the keys, returns the values joined by {@code |}, and emits {@code
 * key:value} for each; a query is a key. The word {@code !} simulates a bug, the word {@code now}
 * returns the current time, the word {@code level} the cluster level of the entry.
 */
public class AppendingCoprocessor implements Coprocessor {
  @Override
  public void open(KeyInterval interval, KvReader state) {}

  @Override
  public byte[] apply(ByteBuffer command, ApplyContext context) {
    String text = UTF_8.decode(command).toString();
    String word = text.substring(text.indexOf(':') + 1);
    if (word.equals("!")) {
      throw new IllegalStateException("the bug");
    }
    if (word.equals("now")) {
      return Long.toString(context.nowMillis()).getBytes(UTF_8);
    }
    if (word.equals("level")) {
      return Integer.toString(context.level()).getBytes(UTF_8);
    }
    List<String> values = new ArrayList<>();
    for (String key : text.substring(0, text.indexOf(':')).split(",")) {
      values.add(append(key, word, context));
    }
    return String.join("|", values).getBytes(UTF_8);
  }

  private static String append(String key, String word, ApplyContext context) {
    byte[] before = context.state().get(key.getBytes(UTF_8));
    String after = (before == null ? "" : new String(before, UTF_8) + " ") + word;
    context.state().put(key.getBytes(UTF_8), after.getBytes(UTF_8));
    context.emit(key + ":" + after);
    return after;
  }

  @Override
  public byte[] query(ByteBuffer query, KvReader state) {
    byte[] key = new byte[query.remaining()];
    query.get(key);
    byte[] value = state.get(key);
    return value == null ? new byte[0] : value;
  }
}
