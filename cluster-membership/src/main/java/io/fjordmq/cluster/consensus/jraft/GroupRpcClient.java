package io.fjordmq.cluster.consensus.jraft;

import com.alipay.sofa.jraft.ReplicatorGroup;
import com.alipay.sofa.jraft.error.InvokeTimeoutException;
import com.alipay.sofa.jraft.error.RemotingException;
import com.alipay.sofa.jraft.option.RpcOptions;
import com.alipay.sofa.jraft.rpc.InvokeCallback;
import com.alipay.sofa.jraft.rpc.InvokeContext;
import com.alipay.sofa.jraft.rpc.RpcClient;
import com.alipay.sofa.jraft.util.Endpoint;
import com.google.protobuf.Message;
import io.fjordmq.cluster.consensus.log.PeerNames;
import io.fjordmq.cluster.consensus.transport.OutgoingConnection;
import io.fjordmq.cluster.consensus.transport.RaftTransport;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends one group's requests to its peers over the transport of its host. */
final class GroupRpcClient implements RpcClient {
  private static final Logger LOG = LoggerFactory.getLogger(GroupRpcClient.class);

  private @Nullable RaftTransport transport;
  private @Nullable ReplicatorGroup replicators;
  private @Nullable FollowerProgress progress;

  @Override
  public boolean init(RpcOptions options) {
    transport = ((GroupNodeOptions) options).transport();
    progress = ((GroupNodeOptions) options).progress();
    if (transport != null && replicators != null) {
      transport.register(replicators);
    }
    return true;
  }

  @Override
  public void shutdown() {
    if (transport != null && replicators != null) {
      transport.unregister(replicators);
    }
  }

  /** Called by jraft before {@link #init}. */
  @Override
  public void registerConnectEventListener(ReplicatorGroup group) {
    replicators = group;
  }

  @Override
  public boolean checkConnection(Endpoint endpoint) {
    return checkConnection(endpoint, false);
  }

  @Override
  public boolean checkConnection(Endpoint endpoint, boolean createIfAbsent) {
    if (transport == null) {
      return false;
    }
    boolean connected = transport.isConnected(PeerNames.node(endpoint));
    if (!connected && createIfAbsent) {
      transport.connect(PeerNames.node(endpoint));
    }
    return connected;
  }

  /** Does nothing, because all groups share the connection. */
  @Override
  public void closeConnection(Endpoint endpoint) {}

  @Override
  public Object invokeSync(
      Endpoint endpoint, Object request, @Nullable InvokeContext context, long timeoutMs)
      throws InterruptedException, RemotingException {
    CompletableFuture<Message> result = new CompletableFuture<>();
    call(
        endpoint,
        request,
        timeoutMs,
        (response, failure) -> {
          if (response != null) {
            result.complete(response);
          } else {
            result.completeExceptionally(
                failure == null ? new RemotingException("no response from " + endpoint) : failure);
          }
        });
    try {
      return result.get(timeoutMs, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new InvokeTimeoutException(
          "no response from " + endpoint + " within " + timeoutMs + " ms", e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new RemotingException("request to " + endpoint + " failed: " + cause.getMessage(), e);
    }
  }

  @Override
  public void invokeAsync(
      Endpoint endpoint,
      Object request,
      @Nullable InvokeContext context,
      InvokeCallback callback,
      long timeoutMs)
      throws RemotingException {
    call(
        endpoint,
        request,
        timeoutMs,
        (response, failure) -> {
          if (progress != null) {
            progress.onResponse(PeerNames.node(endpoint), request, response);
          }
          try {
            callback.executor().execute(() -> callback.complete(response, failure));
          } catch (RejectedExecutionException closing) {
            LOG.debug("Dropping a response that arrived after its group closed node={}", endpoint);
          }
        });
  }

  private void call(
      Endpoint endpoint,
      Object request,
      long timeoutMs,
      OutgoingConnection.ResponseCallback responseCallback)
      throws RemotingException {
    if (transport == null) {
      throw new RemotingException(
          "cannot reach " + endpoint + ": this node was opened without a cluster port");
    }
    transport.send(PeerNames.node(endpoint), (Message) request, timeoutMs, responseCallback);
  }
}
