package dev.weir.james;

import jakarta.mail.MessagingException;
import org.apache.mailet.base.GenericMailet;
import org.jspecify.annotations.Nullable;

/** A mailet with the client of the file that its parameter {@code configuration} names. */
abstract class ClientMailet extends GenericMailet {
    private @Nullable SharedClient client;

    @Override
    public void init() throws MessagingException {
        client = SharedClient.open(getInitParameter("configuration"));
    }

    /** @throws MessagingException if James has not initialized the mailet */
    final SharedClient client() throws MessagingException {
        SharedClient shared = client;
        if (shared == null) {
            throw new MessagingException("the mailet is not initialized");
        }
        return shared;
    }

    @Override
    public void destroy() {
        SharedClient shared = client;
        if (shared != null) {
            client = null;
            shared.close();
        }
    }
}
