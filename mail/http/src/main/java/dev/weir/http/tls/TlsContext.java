package dev.weir.http.tls;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

import dev.weir.model.failure.Reason;
import dev.weir.os.Certificates;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate and the key of a server. New connections get what the files contain: they are read again when they
 * have changed, and open connections keep what they have. If new files cannot be used, the old ones stay in use.
 * Thread-safe.
 */
public final class TlsContext {
    private static final Logger LOG = LoggerFactory.getLogger(TlsContext.class);
    /** How often new connections look whether the files have changed. */
    private static final long LOOK = TimeUnit.SECONDS.toNanos(1);
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};
    private static final char[] NO_PASSWORD = {};

    private final TlsFiles files;
    private final LongSupplier nanoTime;
    private final AtomicLong looked;
    private final LongAdder failures = new LongAdder();
    private volatile Loaded loaded;
    /** The state of files that could not be used, so that each is reported once. */
    private volatile List<String> seen;

    /**
     * What the files contained.
     *
     * @param end when the certificate expires
     */
    private record Loaded(SSLContext context, Instant end) {}

    private TlsContext(TlsFiles files, LongSupplier nanoTime) throws IOException {
        this.files = files;
        this.nanoTime = nanoTime;
        this.looked = new AtomicLong(nanoTime.getAsLong());
        this.seen = state();
        this.loaded = read();
    }

    /**
     * Reads the files.
     *
     * @throws IOException if they cannot be used; the message names one
     */
    public static TlsContext load(TlsFiles files) throws IOException {
        return load(files, System::nanoTime);
    }

    /** Reads the files like {@link #load(TlsFiles)}, with another clock. */
    static TlsContext load(TlsFiles files, LongSupplier nanoTime) throws IOException {
        return new TlsContext(files, nanoTime);
    }

    /** Returns the files. */
    public TlsFiles files() {
        return files;
    }

    /** Returns when the certificate in use expires. */
    public Instant end() {
        return loaded.end();
    }

    /** Returns how often changed files could not be used. */
    public long failures() {
        return failures.sum();
    }

    /** Returns the engine of a new connection. */
    public SSLEngine engine() {
        SSLEngine engine = context().createSSLEngine();
        engine.setUseClientMode(false);
        engine.setSSLParameters(parameters(engine.getSSLParameters()));
        return engine;
    }

    /** Returns a connection with TLS over one that was open without it. The handshake is still to come. */
    public SSLSocket socket(Socket open) throws IOException {
        // With this method, the socket is that of a server.
        SSLSocket socket = (SSLSocket) context().getSocketFactory().createSocket(open, null, true);
        socket.setSSLParameters(parameters(socket.getSSLParameters()));
        return socket;
    }

    private SSLParameters parameters(SSLParameters usual) {
        usual.setProtocols(PROTOCOLS);
        usual.setUseCipherSuitesOrder(true);
        usual.setWantClientAuth(files.clients().isPresent());
        return usual;
    }

    private SSLContext context() {
        lookAgain();
        return loaded.context();
    }

    private void lookAgain() {
        long last = looked.get();
        long now = nanoTime.getAsLong();
        if (now - last < LOOK || !looked.compareAndSet(last, now)) {
            return;
        }
        List<String> state = state();
        if (state.equals(seen)) {
            return;
        }
        seen = state;
        try {
            loaded = read();
            LOG.info("the certificate in {} has changed; the new one is valid until {}", files.certificate(),
                    loaded.end());
        } catch (IOException e) {
            failures.increment();
            LOG.warn("a changed certificate cannot be used, and the old one stays in use: {}", Reason.of(e));
        }
    }

    /** Returns what shows whether a file has changed: also that another one has its name. */
    private List<String> state() {
        List<String> state = new ArrayList<>();
        for (Path file : files.all()) {
            try {
                state.add(Files.readAttributes(file, "unix:ino,size,lastModifiedTime,ctime").toString());
            } catch (IOException e) {
                state.add("missing");
            }
        }
        return state;
    }

    private Loaded read() throws IOException {
        List<X509Certificate> chain = PemFiles.certificates(files.certificate());
        PrivateKey key = PemFiles.key(files.key());
        try {
            requirePair(key, chain.getFirst());
            KeyStore store = Certificates.empty();
            store.setKeyEntry("server", key, NO_PASSWORD, chain.toArray(X509Certificate[]::new));
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, NO_PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(),
                    files.clients().isPresent() ? Certificates.trust(files.clients().get()) : null, null);
            return new Loaded(context, chain.getFirst().getNotAfter().toInstant());
        } catch (GeneralSecurityException e) {
            throw new IOException(files.certificate() + ": TLS cannot use this certificate: " + Reason.of(e), e);
        }
    }

    /** A renewal writes one file after the other; in between, they do not fit. */
    private void requirePair(PrivateKey key, X509Certificate certificate) throws GeneralSecurityException, IOException {
        String algorithm = switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> "EdDSA";
        };
        boolean fits = key.getAlgorithm().equals(certificate.getPublicKey().getAlgorithm());
        if (fits) {
            Signature signing = Signature.getInstance(algorithm);
            signing.initSign(key);
            byte[] signature = signing.sign();
            Signature verifying = Signature.getInstance(algorithm);
            verifying.initVerify(certificate.getPublicKey());
            fits = verifying.verify(signature);
        }
        if (!fits) {
            throw new IOException(files.key() + ": the private key does not belong to the certificate in "
                    + files.certificate());
        }
    }
}
