//! The bootstrap binary as Lambda starts it, against a stand-in for the runtime API and the services.

mod bootstrap;
mod stand_in;
