package dev.weir.trap.smtp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;

import dev.weir.model.failure.Reason;

/** A bound listener. SubEthaSMTP binds every listener that it gets, so a second attempt to bind changes nothing. */
final class TrapListener extends ServerSocket {
    private static final int BACKLOG = 100;

    private final boolean lmtp;

    /**
     * Binds an address.
     *
     * @param lmtp whether connections speak LMTP
     */
    TrapListener(InetSocketAddress address, boolean lmtp) throws IOException {
        this.lmtp = lmtp;
        try {
            setReuseAddress(true);
            bind(address, BACKLOG);
        } catch (IOException e) {
            close();
            throw new IOException("cannot listen on " + address.getAddress().getHostAddress() + " port "
                    + address.getPort() + ": " + Reason.of(e), e);
        }
    }

    boolean isLmtp() {
        return lmtp;
    }

    @Override
    public void bind(SocketAddress address, int backlog) throws IOException {
        if (!isBound()) {
            super.bind(address, backlog);
        }
    }

    @Override
    public Socket accept() throws IOException {
        if (!lmtp) {
            return super.accept();
        }
        LmtpSocket socket = new LmtpSocket();
        try {
            implAccept(socket);
            return socket;
        } catch (Throwable e) {
            socket.close();
            throw e;
        }
    }
}
