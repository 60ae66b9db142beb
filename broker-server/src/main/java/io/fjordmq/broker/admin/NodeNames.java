package io.fjordmq.broker.admin;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names under which operators know the nodes ({@code clusterConfig.nodeName}). Each node writes
 * its own name to the metadata, so that all nodes know it even while the node is down. Names need
 * not be unique; only ids identify nodes. Thread-safe; does not block.
 */
public final class NodeNames {
  private static final Logger LOG = LoggerFactory.getLogger(NodeNames.class);

  /*
   * Metadata records node-name/<node id>:
   *
   *   1  format 1
   *   s  name
   */
  private static final String PREFIX = "node-name/";

  private static final int FORMAT = 1;

  private final Membership membership;
  private final Records records;

  /** The records of the metadata. */
  @FunctionalInterface
  public interface Records {
    /** Returns the record with a key; null if there is none. */
    @Nullable MetadataRecord get(String key);
  }

  public NodeNames(Membership membership, Records records) {
    this.membership = membership;
    this.records = records;
  }

  /**
   * Writes the name of this node to the metadata if it has changed. The future completes normally
   * even if the write fails.
   */
  public CompletableFuture<Void> publish(String name) {
    NodeId self = membership.self();
    if (name.equals(of(self))) {
      return CompletableFuture.completedFuture(null);
    }
    return membership
        .write(List.of(Change.put(PREFIX + self.value(), encode(name))))
        .handle(
            (written, failure) -> {
              if (failure != null) {
                LOG.warn(
                    "Failed to publish the name of this node; other nodes show its previous name"
                        + " or its id until it restarts: {} name={}",
                    failure.toString(),
                    name);
              }
              return null;
            });
  }

  /** Returns the name of a node; its id if no name is known. */
  public String of(NodeId node) {
    MetadataRecord record = records.get(PREFIX + node.value());
    return record == null ? node.value() : decode(record.value(), node.value());
  }

  /**
   * Finds a node by its id or name. A node whose id matches takes precedence over names.
   *
   * @return the ids of the matching members, usually one; several if they share the name
   */
  public List<String> ids(String idOrName) {
    List<String> found = new ArrayList<>();
    for (NodeId node : membership.members().byNode().keySet()) {
      if (node.value().equals(idOrName)) {
        return List.of(idOrName);
      }
      if (of(node).equals(idOrName)) {
        found.add(node.value());
      }
    }
    return found;
  }

  /** The members in the order of their ids, each as {@code id (name)}, or its id if unnamed. */
  public List<String> members() {
    return membership.members().byNode().keySet().stream()
        .sorted(Comparator.comparing(NodeId::value))
        .map(
            node -> {
              String name = of(node);
              return name.equals(node.value()) ? name : node.value() + " (" + name + ")";
            })
        .toList();
  }

  /** Describes each name that does not identify a single node. */
  List<String> conflicts() {
    Map<String, List<String>> byName = new TreeMap<>();
    membership
        .members()
        .byNode()
        .keySet()
        .forEach(
            node -> {
              byName.computeIfAbsent(of(node), name -> new ArrayList<>()).add(node.value());
            });
    List<String> conflicts = new ArrayList<>();
    byName.forEach(
        (name, nodes) -> {
          if (nodes.size() > 1) {
            conflicts.add(
                "nodes %s have the same name '%s', so commands accept only their ids; set a different"
                        .formatted(String.join(", ", nodes), name)
                    + " clusterConfig.nodeName on each of them");
          }
        });
    return conflicts;
  }

  static byte[] encode(String name) {
    return new ByteWriter(1 + ByteWriter.stringBytes(name))
        .writeByte(FORMAT)
        .writeString(name)
        .toByteArray();
  }

  /** Decodes a name; returns the fallback if a newer version of FjordMQ wrote it. */
  static String decode(byte[] value, String fallback) {
    try {
      ByteReader in = new ByteReader(value);
      NewerFormatException.require("node name", FORMAT, in.readByte());
      String name = in.readString();
      in.requireEnd();
      return name;
    } catch (MalformedBytesException e) {
      return fallback;
    }
  }
}
