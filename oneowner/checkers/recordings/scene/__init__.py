"""All evidence of one recorded run: lives, registrations and elections of brokers, with their times."""
