package io.fjordmq.broker.admin;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request of an operator about a single node, which that node handles.
 *
 * @param arguments as described by the kind; null for absent ones
 */
record NodeRequest(Kind kind, NodeRow arguments) {
  /*
   *   1  version 1
   *   1  kind
   *   .. arguments, as one row of NodeRows
   */
  private static final int VERSION = 1;

  /** The kind of request. The response consists of rows; see {@link NodeRowCodec}. */
  enum Kind {
    /** The listeners. */
    LISTENERS(30),
    /** Audit records: cursor, limit, and the components of an AuditFilter. */
    AUDIT(31),
    /** Rebuild a replica: range. */
    REBUILD(32),
    /** Start an evacuation: clients per second, or null. */
    EVACUATION_START(33),
    /** Stop the evacuation. */
    EVACUATION_STOP(34),
    /** The state of the evacuation. */
    EVACUATION_STATUS(35),
    /** Decommission the node, or continue. */
    DECOMMISSION(36),
    /** The plugins. */
    PLUGINS(37),
    /** The effective configuration. */
    CONFIGURATION(38),
    /** Reload a plugin: its name. */
    RELOAD_PLUGIN(39),
    /** Remove cached results of providers: authentication or authorization. */
    CLEAR_PROVIDER_CACHES(40);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    private static Kind of(int code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      throw NewerFormatException.unknownKind("request to a node", code);
    }
  }

  static NodeRequest of(Kind kind, @Nullable String... arguments) {
    List<@Nullable String> list = new ArrayList<>();
    for (@Nullable String argument : arguments) {
      list.add(argument);
    }
    return new NodeRequest(kind, new NodeRow(list));
  }

  byte[] encode() {
    ByteWriter out = new ByteWriter(64).writeByte(VERSION).writeByte(kind.code);
    NodeRows.writeRow(out, arguments);
    return out.toByteArray();
  }

  /**
   * @throws io.fjordmq.common.MalformedBytesException if the bytes have another format
   */
  static NodeRequest decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("request to a node", VERSION, in.readByte());
    NodeRequest request = new NodeRequest(Kind.of(in.readByte()), NodeRows.readRow(in));
    in.requireEnd();
    return request;
  }
}
