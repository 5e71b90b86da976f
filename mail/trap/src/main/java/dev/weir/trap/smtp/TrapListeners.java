package dev.weir.trap.smtp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Bound sockets for traps that do not accept yet. Close this once. */
public final class TrapListeners implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TrapListeners.class);

    private final List<TrapListener> listeners;

    private TrapListeners(List<TrapListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    /**
     * Binds addresses.
     *
     * @throws IOException if one of them cannot be bound; none is then
     */
    public static TrapListeners bind(List<InetSocketAddress> smtp, List<InetSocketAddress> lmtp) throws IOException {
        List<TrapListener> listeners = new ArrayList<>();
        try {
            for (InetSocketAddress address : smtp) {
                listeners.add(new TrapListener(address, false));
            }
            for (InetSocketAddress address : lmtp) {
                listeners.add(new TrapListener(address, true));
            }
            return new TrapListeners(listeners);
        } catch (Throwable e) {
            new TrapListeners(listeners).close();
            throw e;
        }
    }

    List<TrapListener> listeners() {
        return listeners;
    }

    /** Returns the addresses with their actual ports, those of SMTP first. */
    public List<InetSocketAddress> addresses() {
        return listeners.stream().map(listener -> (InetSocketAddress) listener.getLocalSocketAddress()).toList();
    }

    @Override
    public void close() {
        for (TrapListener listener : listeners) {
            try {
                listener.close();
            } catch (IOException e) {
                LOG.debug("closing a listener", e);
            }
        }
    }
}
