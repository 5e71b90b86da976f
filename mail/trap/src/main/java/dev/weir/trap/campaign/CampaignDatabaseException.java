package dev.weir.trap.campaign;

import java.io.IOException;

/** A failure of the file of campaigns. */
public final class CampaignDatabaseException extends IOException {
    private static final long serialVersionUID = 1L;

    CampaignDatabaseException(String message, Throwable cause) {
        super(message, cause);
    }
}
