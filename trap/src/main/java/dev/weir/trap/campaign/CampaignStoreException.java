package dev.weir.trap.campaign;

import java.io.IOException;

/** A failure of the file of campaigns. */
public final class CampaignStoreException extends IOException {
    private static final long serialVersionUID = 1L;

    CampaignStoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
